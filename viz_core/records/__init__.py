"""Records: frozen results that are passed between packages, NumPy arrays with labels aligned to them.

Shapes: L layers, H heads, T tokens; of a translation S source and T target tokens. Attention is
`(L, H, T, T)`, row = query, column = key.
"""

from viz_core.records.alignment import AlignedPair, AlignmentScore, WordAlignment
from viz_core.records.attention import (
    ELSEWHERE,
    OTHER,
    OTHER_TRANSLATION,
    AttentionMap,
    Explanation,
    HeadStatistics,
    Measure,
    TokenWeights,
)
from viz_core.records.corpus import (
    BehaviouralPrediction,
    BehaviouralResults,
    Calibration,
    CategoryScore,
    Curve,
    HeadImportance,
    HeadProfile,
    Health,
    PredictedRows,
    PruneCurve,
    Slice,
    tracked_class,
)
from viz_core.records.decisions import calibrate, calibrate_log, decide
from viz_core.records.evidence import (
    Agreement,
    Attribution,
    Comparison,
    DirectContributions,
    Faithfulness,
    HeadControl,
    PairMass,
    Shuffles,
)
from viz_core.records.figures import Evaluation, Figures, LanguageFigures, Metrics, TranslationFigures
from viz_core.records.generation import Generation
from viz_core.records.head_weights import DeferredWeights, HeadWeights, map_heads, measure_layers
from viz_core.records.heads import DECILES, DISTANCE_BINS, POSITIONS, CorpusStatistic, HeadSurvey, TokenPair
from viz_core.records.inputs import BehaviouralTest, Encoding, Examples, read_only, show_whitespace
from viz_core.records.messages import Failure, Message, failing, message_from_json
from viz_core.records.next_token import Candidate, ShapedCandidate, Step
from viz_core.records.patching import HEAD_INPUTS, SITES, Contrast, Patching, Paths, Site
from viz_core.records.positions import ORDERS, OrderAccuracy, OrderEffects, PositionVectors, SimilarityByDistance
from viz_core.records.readings import MeasuredFigures, Reading, register_figures
from viz_core.records.translation import BeamLeaf, BeamNode, BeamTree, Exposure, Translation
from viz_core.records.votes import Question, Votes
