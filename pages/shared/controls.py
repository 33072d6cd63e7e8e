"""The controls of pages that a lesson can point at, by name.

Each is a list of CSS selectors, of which the first that is on the page counts. What a component draws is found, too.
"""

CONTROLS: dict[str, tuple[str, ...]] = {
    # The page of a task
    "text": (".instrument .boxes", ".boxes", ".st-key-text", ".st-key-a", "textarea"),
    "prediction": (".instrument .prediction", "section.right", ".prediction"),
    "matters": (".explorer .matters",),
    "heads": (".explorer .overview",),
    "heatmap": (".explorer .heatmap",),
    "links": (".explorer .links",),
    "reference": (".explorer .comparison",),
    "how-computed": (".explorer .reading button.inside",),
    "model": (".st-key-model",),
    "head-page": (".explorer .reading button.corpus",),
    "evidence": (".st-key-evidence",),
    "whatif": (".explorer.whatif",),
    "whatif-row": (".explorer.whatif section.view.row",),
    "methods": (".st-key-view_attributions",),
    "faithfulness": (".st-key-view_faithfulness_validation", ".st-key-view_faithfulness_input"),
    "parts": (".st-key-view_contributions",),
    "patching": (".st-key-view_patching",),
    # How attention is computed
    "sections": (".st-key-inside",),
    "diagram": (".inside nav.diagram",),
    "step": (".inside section.step",),
    "stepper": (".inside .stepper",),
    "head-picker": (".inside .picker",),
    "touch": (".inside .touch", ".inside section.step"),
    "calculator": (".explorer.calculator",),
    "lens": (".st-key-view_lens",),
    "positions": (".st-key-view_positions_learned",),
    "pair": (".st-key-pair",),
    "rotation": (".st-key-view_rotation",),
    "experiment": (".st-key-view_order_probabilities",),
    "order-attention": (".st-key-view_order_attention",),
    # Models, and the page of a head
    "atlas": (".explorer.atlas",),
    "importance": (".st-key-view_importance",),
    "comparison": (".st-key-comparison",),
    "passages": (".explorer.passages",),
    # Translation and training
    "translation": (".translation section.right",),
    "written": (".generation .words", ".words"),
    "candidates": (".translation .candidates", ".translation section.right"),
    "decoding": (".translation .settings",),
    "beam": (".translation .beam",),
    "translation-whatif": (".translation .changes",),
    "alignment": (".st-key-view_head_alignment",),
    "training": (".st-key-recipe",),
    "recorded": (".st-key-replay_player",),
    "loss": (".st-key-view_curve_loss",),
    "accuracy": (".st-key-view_curve_accuracy",),
    # Evaluation, language models
    "metrics": (".st-key-view_confusion_test", "[class*='st-key-view_confusion']"),
    "samples": (".st-key-samples", ".stDataFrame", "table"),
    "behaviour": (".st-key-view_probes",),
    "next": (".expected",),
    "without": (".st-key-generation .settings", ".generation .settings"),
}
