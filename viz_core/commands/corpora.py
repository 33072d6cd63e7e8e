"""The command `data`: which corpora are available, and mini-batches of them."""

import argparse

from viz_core import checkpoints
from viz_core.language import Translator
from viz_core.models.batch import pad
from viz_core.records import Failure
from viz_core.tasks import Task, all_tasks, get_task


def data(args: argparse.Namespace, say: Translator) -> dict | list:
    """Finds, downloads and checks the corpora, or prints one mini-batch as the encoder receives it."""
    tasks = [get_task(args.task)] if args.task else list(all_tasks().values())
    if args.action == "batch":
        if args.size < 1:
            raise Failure("cli.bad_size", size=args.size)
        return [_mini_batch(task, select_data(args, task), args.size) for task in tasks]
    corpora = {task.name: task.require_corpus() for task in tasks if task.corpus or args.task}
    if args.action == "download":
        return {name: str(corpus.find() or corpus.download()) for name, corpus in corpora.items()}
    if args.action == "verify":
        problems = [say(problem) for corpus in corpora.values() for problem in corpus.verify()]
        if problems:
            raise Failure("cli.data_invalid", problems=problems)
        return {name: dict(corpus.published) for name, corpus in corpora.items()}
    return {name: (path := corpus.find()) and str(path) for name, corpus in corpora.items()}


def select_data(args: argparse.Namespace, task: Task) -> str:
    """`--data` if given, else "full" if the corpus is available and "sample" if not."""
    return args.data or ("full" if task.find_corpus() else "sample")


def _mini_batch(task: Task, data: str, size: int) -> dict:
    """The first `size` rows of train as the encoder receives them.

    Holds ids, segments and mask `(B, T)`, and their tokens.
    """
    frame = task.read("train", data)
    models = checkpoints.task_checkpoints(task.name)
    text_encoder = (
        checkpoints.load(task.name, models[0].name).text_encoder
        if models
        else task.text_encoder(task.build_tokenizer(task.texts(frame), task.max_tokens))
    )
    examples = task.examples(frame.head(size), text_encoder)
    ids, segments, mask = (tensor.tolist() for tensor in pad(examples.ids, examples.segments))
    decoded = [" ".join(text_encoder.token(token) for token in row) for row in ids]
    return {
        "task": task.name,
        "data": data,
        "ids": ids,
        "segments": segments,
        "mask": mask,
        "decoded": decoded,
        **({"labels": [task.labels[label] for label in examples.labels]} if task.labels else {}),
    }
