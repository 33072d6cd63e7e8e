"""The controls of pages that a lesson can point at, by name.

Each is a list of CSS selectors, of which the first that is on the page counts. What a component draws is found, too.
"""

CONTROLS: dict[str, tuple[str, ...]] = {
    "text": (".instrument .boxes", ".boxes", "textarea"),
    "prediction": (".instrument .prediction", ".prediction"),
    "heads": (".explorer .overview",),
    "heatmap": (".explorer .heatmap",),
    "model": (".st-key-model",),
    "evidence": ("#evidence",),
}
