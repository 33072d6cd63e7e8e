"""Make a checkpoint for explanations and analyses from a model and a tokenizer of `transformers`."""

from copy import copy
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from viz_core.adapters.cache import has_other_states
from viz_core.adapters.encoder_decoder import AdaptedEncoderDecoder
from viz_core.adapters.families import FAMILIES, Family
from viz_core.adapters.language_model import AdaptedLanguageModel
from viz_core.adapters.model import AdaptedModel
from viz_core.adapters.network import Prepared, position_offset, prepare
from viz_core.adapters.target_encoder import TranslationTextEncoder
from viz_core.adapters.text_encoder import AdaptedTextEncoder
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.models.decoding import Vocabulary
from viz_core.models.protocol import Model
from viz_core.records import OTHER, OTHER_TRANSLATION, Failure, Message, Metrics
from viz_core.tasks import Task
from viz_core.text.chat import ChatFrame
from viz_core.text.tokenizer import Segmenter

KIND = "transformers"
MOST_TOKENS = 1024  # of a text whose attention weights are computed when they are asked for
MOST_AT_ONCE = 512  # where they are not: those of longer ones take more than a gigabyte in larger models


@dataclass(frozen=True)
class AdaptedTask:
    """The task of an external model, as far as explanations need it.

    Attributes:
        labels: Class names; empty without a classifier.
        name: Stands for any task of an external model.
        pair: None, because the model reads a text or a pair.
        segmenter: None, because words are not segmented.
        colours: None: the classes have the hues of the theme.
    """

    labels: tuple[str, ...]
    name: str = OTHER
    pair: None = None
    segmenter: Segmenter | None = None
    colours: tuple[str, ...] = ()


@dataclass(frozen=True)
class AdaptedSettings(Settings):
    """Settings without calibration or threshold: the likeliest class is predicted.

    Attributes:
        lacks: Sentences about what cannot be shown of this model.
    """

    threshold: float | None = None
    kind: str = KIND
    lacks: tuple[Message, ...] = ()

    def __post_init__(self) -> None:
        """Check nothing: sizes and labels were checked when they were read (folder.py)."""

    def probabilities(self, logits: np.ndarray) -> np.ndarray:
        """Compute probabilities `(…, C)` from logits `(…, C)`; C is 0 for a model without a classifier."""
        return super().probabilities(logits) if self.config.classes else np.asarray(logits, np.float64)


def adapt(
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    name: str = "",
    target_tokenizer: PreTrainedTokenizerBase | None = None,
) -> Checkpoint:
    """Make a checkpoint of a model in memory, sharing its weights; the model itself is not changed.

    Args:
        network: The model.
        tokenizer: Its tokenizer.
        name: Of the checkpoint, by default that of the model.
        target_tokenizer: Target tokenizer of an encoder-decoder, if it differs from that of the
            source.

    Raises:
        Failure: As `network.prepare` and `AdaptedTextEncoder`.
    """
    name = name or network.name_or_path.rstrip("/").split("/")[-1] or type(network).__name__
    if network.config.is_encoder_decoder:
        return _adapt_encoder_decoder(network, tokenizer, name, target_tokenizer)
    return _adapt_single(network, tokenizer, name)


def with_chat(checkpoint: Checkpoint, chat: ChatFrame | Message | None) -> Checkpoint:
    """Return a language model that knows what its chat template puts around messages, or why it cannot be used."""
    encoder = copy(cast(AdaptedTextEncoder, checkpoint.text_encoder))
    encoder.frame = chat if isinstance(chat, ChatFrame) else None
    return replace(checkpoint, chat=chat, text_encoder=encoder)


def _adapt_single(network: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, name: str) -> Checkpoint:
    """Build a Checkpoint for an encoder-only or decoder-only model."""
    text_encoder = AdaptedTextEncoder(tokenizer, _longest(network, tokenizer), name)
    prepared = prepare(network, name)
    sizes, lacks = (text_encoder.max_tokens, text_encoder.second_segment, _blank(tokenizer)), _lacks(prepared)
    if prepared.predicts_next:
        model: AdaptedModel = AdaptedLanguageModel(prepared, *sizes, special_ids=_text_ends(network, tokenizer))
        lacks = (Message("adapters.next_token"), *lacks)
    else:
        model = AdaptedModel(prepared, *sizes)
        lacks = lacks if model.labels else (Message("adapters.lacks_classifier"), *lacks)
    settings = AdaptedSettings(OTHER, model.config, lacks=lacks)
    task = cast(Task, AdaptedTask(model.labels))
    return Checkpoint(name, task, settings, model, text_encoder, Metrics({}))


def _blank(tokenizer: PreTrainedTokenizerBase) -> int:
    """Return the id that stands for no token: that of padding, else of anything unknown."""
    return next((i for i in (tokenizer.pad_token_id, tokenizer.unk_token_id) if i is not None), 0)


def _lacks(prepared: Prepared) -> tuple[Message, ...]:
    """What cannot be shown of a network, besides its prediction."""
    sentences, config = list(map(Message, prepared.family.lacks)), prepared.network.config
    if prepared.without:
        numbers = [str(n + 1) for n in range(config.num_hidden_layers) if n not in prepared.without]
        values = {"shown": len(numbers), "total": config.num_hidden_layers, "numbers": numbers}
        sentences.append(Message("adapters.lacks_layers", values))
    if not config.is_encoder_decoder and has_other_states(config):
        sentences.append(Message("adapters.lacks_states"))
    return tuple(sentences)


def _adapt_encoder_decoder(
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    name: str,
    target_tokenizer: PreTrainedTokenizerBase | None,
) -> Checkpoint:
    """Build a Checkpoint for an encoder-decoder.

    Raises:
        Failure: If it predicts no tokens, or its config does not say where decoding begins and ends.
    """
    if not network.can_generate():
        raise Failure("adapters.predicts_nothing", name=name, type=type(network).__name__)
    special_ids = _special_ids(network, tokenizer, name)
    text_encoder = TranslationTextEncoder(tokenizer, _longest(network, tokenizer), special_ids, name, target_tokenizer)
    prepared = prepare(network, name)
    model = AdaptedEncoderDecoder(prepared, text_encoder.max_tokens, special_ids, _blank(tokenizer))
    lacks = (Message("adapters.translates"), *(Message(key) for key in prepared.family.lacks))
    settings = AdaptedSettings(OTHER_TRANSLATION, model.config, lacks=lacks)
    task = cast(Task, AdaptedTask((), OTHER_TRANSLATION))
    return Checkpoint(name, task, settings, cast(Model, model), text_encoder, Metrics({}))


def _special_ids(network: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, name: str) -> Vocabulary:
    """Return the ids with which decoding begins and ends, from the config.

    The begin id, and ids without a token of the tokenizer, are never produced.
    """
    settings = network.config
    begin, end = getattr(settings, "decoder_start_token_id", None), settings.eos_token_id
    begin = settings.pad_token_id if begin is None else begin
    tokens = tokenizer.convert_ids_to_tokens(range(settings.vocab_size))
    for place, index in (("decoder_start_token_id", begin), ("eos_token_id", end)):
        if type(index) is not int or not 0 <= index < len(tokens) or tokens[index] is None or begin == end:
            raise Failure("adapters.bad_special_id", name=name, field=place, value=str(index))
    missing = (index for index, token in enumerate(tokens) if token is None)
    return Vocabulary(begin, end, (begin, *missing))


def _text_ends(network: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> Vocabulary:
    """Return the token before a text and those that end it: of the generation config there may be several.

    A model without an end writes until its context is full. Ids without a token of the tokenizer,
    such as those that only fill the embeddings, are never produced.
    """
    settings = network.generation_config or network.config
    ends = settings.eos_token_id if isinstance(settings.eos_token_id, list) else [settings.eos_token_id]
    end, *others = [index for index in ends if index is not None] or [-1]
    begin = end if tokenizer.bos_token_id is None else tokenizer.bos_token_id
    tokens = tokenizer.convert_ids_to_tokens(range(network.config.vocab_size))
    missing = (index for index, token in enumerate(tokens) if token is None)
    return Vocabulary(begin, end, tuple(missing), tuple(others))


def _longest(network: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> int:
    """Return the number of tokens of the longest text, including special tokens."""
    family = FAMILIES.get(network.config.model_type, Family())
    can_defer = family.attention == "interface" and not network.config.is_encoder_decoder
    most = MOST_TOKENS if can_defer else MOST_AT_ONCE
    positions = getattr(network.config, "max_position_embeddings", most) - position_offset(network)
    return min(positions, tokenizer.model_max_length, most)
