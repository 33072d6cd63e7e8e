"""What the pages do for the tasks of each kind, and for models from elsewhere: a record each, in the order of their
pages. Another kind is one more (`register_page_kind`)."""

from dataclasses import replace
from typing import get_args

from pages.evaluation.page import PARTS
from pages.explore.evidence import SECTIONS
from pages.explore.other import other_models
from pages.explore.page import explorer
from pages.inside import head, lens, plane
from pages.inside.inputs import pick_texts, pick_translation
from pages.models import heads as atlas
from pages.models import language
from pages.models.page import classifier, translator_model
from pages.routes import heads, inside
from pages.routes.translate import warm_up
from pages.shared import health
from pages.shared.cache import explain_input
from pages.shared.kinds import InsideKind, PageKind, register_page_kind
from pages.shared.other_models import open_models
from pages.shared.tasks import OTHER_PAGES, OTHER_TRANSLATIONS
from pages.translation.page import translation
from viz_core.analysis.inside.query_key_plane import PlaneKind
from viz_core.records import ELSEWHERE, OTHER, OTHER_TRANSLATION
from viz_core.tasks import CLASSIFICATION, LANGUAGE_MODEL, TRANSLATION

_TEXTS = InsideKind(
    sections=("head", "lens", "plane", "positions"),
    pick_input=pick_texts,
    attention=head.attention_of_texts,
    compute=inside.of_texts,
    lens=lens.lens_of_texts,
    plane=plane.plane_of_sample,
)
_CLASSIFICATION = PageKind(
    page=explorer,
    warm_up=lambda info, page: explain_input(info, *page.first_texts),
    routes=("explain", "heads", "inside", "matrices", "whatif"),
    heads=heads.of_texts,
    banner=health.banner,
    models=classifier,
    evidence=tuple(SECTIONS),
    evaluation=PARTS,
    is_compared=True,
    inside=_TEXTS,
)
register_page_kind(CLASSIFICATION, _CLASSIFICATION)
# Its page is in the navigation once a model is open; the page of the models leads to it before.
register_page_kind(
    OTHER,
    PageKind(
        page=other_models,
        is_shown=lambda: bool(open_models(ELSEWHERE)),
        input_pages={2: OTHER_PAGES[2], 1: OTHER_PAGES[1]},
        routes=(*_CLASSIFICATION.routes, "generate"),
        heads=heads.of_texts,
        models=atlas.section,
        models_note="heads.note_other",
        evidence=("methods", "whatif", "parts", "patching"),
        inside=replace(_TEXTS, plane=plane.plane_of_sentences, plane_notes=plane.sentences_note),
    ),
)
register_page_kind(
    TRANSLATION,
    PageKind(
        page=translation,
        boxes={2: ("text", "reference")},
        warm_up=warm_up,
        routes=("heads", "inside", "matrices", "translate", "word-effects"),
        heads=heads.of_translation,
        models=translator_model,
        models_note="translation_figures.note",
        evidence=("methods", "patching"),
        inside=InsideKind(
            pick_input=pick_translation,
            attention=head.attention_of_translation,
            first_kind="cross",
            compute=inside.of_translation,
            lens=lens.lens_of_translation,
            plane=plane.plane_of_references,
            plane_kinds=get_args(PlaneKind),
            plane_notes=lambda checkpoint: ("plane.no_cross",),
        ),
    ),
)
# The page of language models is in the navigation, and leads to that of the task.
register_page_kind(
    LANGUAGE_MODEL,
    replace(
        _CLASSIFICATION,
        is_shown=lambda: False,
        routes=(*_CLASSIFICATION.routes, "generate"),
        banner=language.banner,
        models=language.language_model,
        models_note="language_figures.note",
        evidence=("methods", "whatif", "parts", "patching"),
        evaluation={},
        pinned="continued",
    ),
)
register_page_kind(
    OTHER_TRANSLATION,
    PageKind(
        input_pages={1: OTHER_TRANSLATIONS},
        routes=("translate", "word-effects"),
        models=atlas.section,
        models_note="heads.note_other",
        evidence=("methods", "patching"),
    ),
)
