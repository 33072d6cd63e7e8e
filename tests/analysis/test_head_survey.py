"""The survey of heads over a corpus: statistics of queries, deciles, distances and token pairs, by hand."""

import numpy as np
import pytest
import torch

from tests.tiny import QUESTIONS, REVIEWS, save_checkpoint
from tests.tiny_translation import TEXTS, translation_checkpoint
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.analysis.heads.profile import STATISTICS, layer_statistics
from viz_core.analysis.heads.queries import Side, criteria_of_queries, query_statistics, uniform_attention
from viz_core.analysis.heads.statistics import translation_statistics
from viz_core.analysis.heads.survey import by_distance, by_position, decile_places, survey_heads
from viz_core.analysis.heads.token_pairs import PairCounts
from viz_core.analysis.translation.live import translate_text
from viz_core.records import DISTANCE_BINS, POSITIONS, Failure, TokenPair


def side(ids, special=(), segments=None, punctuation=()) -> Side:
    count = len(ids)
    return Side(
        np.array(ids),
        np.zeros(count, int) if segments is None else np.array(segments),
        np.isin(np.arange(count), special),
        np.isin(np.arange(count), punctuation),
    )


def rows_of(*rows) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float32)[None]


def random_attention(heads: int, queries: int, keys: int, causal: bool = False) -> torch.Tensor:
    scores = torch.randn(heads, queries, keys, generator=torch.Generator().manual_seed(0)) * 2
    if causal:
        scores = scores.masked_fill(torch.ones(queries, keys).triu(1).bool(), -torch.inf)
    return scores.softmax(-1)


class TestQueries:
    def test_each_statistic_of_a_single_text_by_hand(self):
        """[CLS] x , [SEP]: the second query has no choice left, the others half of one."""
        tokens = side([2, 7, 5, 3], special=(0, 3), punctuation=(2,))
        attention = rows_of([0.5, 0.5, 0, 0], [0, 0, 1, 0], [0, 0.5, 0.5, 0], [0.25] * 4)
        values = {
            name: array[0].tolist() for name, array in query_statistics(attention, tokens, tokens, "self").items()
        }
        assert values["entropy"] == pytest.approx([0.5, 0, 0.5, 1])
        assert values["distance"] == pytest.approx([0.5, 1, 0.5, 1.5])
        assert values["cls"] == pytest.approx([0.5, 0, 0, 0.25]) and values["sep"] == pytest.approx([0, 0, 0, 0.25])
        assert values["punctuation"] == pytest.approx([0, 1, 0.5, 0.25])
        assert values["self"] == pytest.approx([0.5, 0, 0.5, 0.25])
        assert values["previous"] == pytest.approx([np.nan, 0, 0.5, 0.25], nan_ok=True)
        assert values["next"] == pytest.approx([0.5, 1, 0, np.nan], nan_ok=True)
        mean = np.array([0.1875, 0.3125, 0.4375, 0.0625])
        assert values["dependence"][1] == pytest.approx(-np.log(mean[2]) / np.log(4), rel=1e-5)
        assert "same" not in values and "other" not in values

    def test_a_repetition_in_causal_attention_by_hand(self):
        """a b a: the last token repeats the first, after which b stood."""
        tokens = side([7, 8, 7])
        attention = rows_of([1, 0, 0], [0.25, 0.75, 0], [0.2, 0.7, 0.1])
        values = {
            name: array[0].tolist() for name, array in query_statistics(attention, tokens, tokens, "causal").items()
        }
        assert values["first"] == pytest.approx([np.nan, 0.25, 0.2], nan_ok=True)
        assert values["duplicate"] == pytest.approx([np.nan, np.nan, 0.2], nan_ok=True)
        assert values["induction"] == pytest.approx([np.nan, np.nan, 0.7], nan_ok=True)
        assert np.isnan(values["entropy"][0]), "a single key is no choice"
        assert "dependence" not in values and "next" not in values

    @pytest.mark.parametrize("pair", [False, True])
    def test_their_means_are_the_statistics_of_the_profile(self, pair):
        segments = [0, 0, 0, 0, 1, 1, 1] if pair else [0] * 7
        tokens = side([2, 7, 8, 3, 7, 9, 3], special=(0, 3, 6), segments=segments, punctuation=(5,))
        attention = random_attention(3, 7, 7)
        arrays = [torch.from_numpy(array)[None] for array in (tokens.ids, tokens.segments)]
        flags = [torch.from_numpy(array)[None] for array in (tokens.special, tokens.punctuation)]
        profile = layer_statistics(attention[None], *arrays, torch.ones(1, 7, dtype=torch.bool), *flags)[:, 0]
        values = query_statistics(attention, tokens, tokens, "self")
        expected = {*STATISTICS} - {"entropy_cls"} - (set() if pair else {"same", "other"})
        assert set(values) == expected
        for name, measured in zip(STATISTICS, profile, strict=True):
            if name in values:
                assert values[name].nanmean(1).tolist() == pytest.approx(measured.tolist(), abs=1e-5), name

    @pytest.mark.parametrize("kind", ["causal", "cross"])
    def test_their_means_are_the_statistics_of_a_translation(self, kind):
        translation = translate_text(translation_checkpoint(end=3), TEXTS[0], TEXTS[1])
        queries, keys = map(Side.of, translation.sides(kind))
        weights = torch.from_numpy(translation.attention[kind].copy()).flatten(0, 1)
        measured = translation_statistics(translation, kind)
        values = query_statistics(weights, queries, keys, kind)
        assert len(values) >= 3
        for name, array in values.items():
            if name != "dependence":
                assert array.nanmean(1).tolist() == pytest.approx(getattr(measured, name).ravel().tolist(), abs=1e-5)

    def test_a_uniform_head_is_the_control(self):
        even = uniform_attention(3, 3, "causal")
        assert even.tolist() == [pytest.approx(row) for row in ([1, 0, 0], [0.5, 0.5, 0], [1 / 3] * 3)]
        assert uniform_attention(2, 4, "cross").tolist() == [[0.25] * 4] * 2
        tokens = side([7, 8, 9])
        values = query_statistics(even[None], tokens, tokens, "causal")["entropy"]
        assert values[0, 1:].tolist() == pytest.approx([1, 1])

    def test_shuffling_keeps_special_tokens_and_the_tokens_of_each_text(self):
        tokens = side([2, 7, 8, 9, 3, 4, 5, 6, 3], special=(0, 4, 8), segments=[0] * 5 + [1] * 4, punctuation=(1,))
        shuffled = tokens.shuffled(np.random.default_rng(1))
        assert shuffled.ids[[0, 4, 8]].tolist() == [2, 3, 3] and shuffled.ids.tolist() != tokens.ids.tolist()
        assert sorted(shuffled.ids[1:4]) == [7, 8, 9] and sorted(shuffled.ids[5:8]) == [4, 5, 6]
        assert shuffled.ids[shuffled.punctuation].tolist() == [7], "the token that is punctuation stays it"

    def test_only_what_depends_on_tokens_changes_with_their_order(self):
        tokens = side([7, 8, 7, 9, 5], punctuation=(4,))
        attention = random_attention(1, 5, 5, causal=True)
        before, after = (
            criteria_of_queries(attention, which, which, "causal")
            for which in (tokens, tokens._replace(ids=tokens.ids[::-1].copy()))
        )
        for name in ("previous", "first"):
            torch.testing.assert_close(before[name], after[name], equal_nan=True)
        assert not torch.equal(before["duplicate"].nan_to_num(), after["duplicate"].nan_to_num())


class TestDeciles:
    def test_each_has_its_highest_inputs_the_highest_first(self):
        values = np.stack([np.arange(20.0), -np.arange(20.0)])
        places = decile_places(values, 2)
        assert places[0].tolist() == [[2 * decile + 1, 2 * decile] for decile in range(10)]
        assert places[1, 0].tolist() == [18, 19] and places[1, 9].tolist() == [0, 1]

    def test_of_few_inputs_some_are_empty(self):
        places = decile_places(np.array([[3.0, 1.0, 2.0]]), 2)
        assert places[0, :3].tolist() == [[1, -1], [2, -1], [0, -1]] and (places[0, 3:] == -1).all()


class TestDistances:
    def test_of_heads_that_attend_to_one_position(self):
        here, before = torch.eye(4), torch.eye(4).roll(-1, 1)
        before[0] = torch.tensor([1.0, 0, 0, 0])
        before[1:] = torch.eye(4)[:3]
        shares = by_distance(torch.stack([here, before]))
        zero = DISTANCE_BINS.index(0)
        assert shares[0, zero] == 1 and shares[0].sum() == 1
        assert shares[1, zero - 1] == pytest.approx(0.75) and shares[1, zero] == pytest.approx(0.25)

    @pytest.mark.parametrize("queries, keys", [(50, 50), (1, 3), (3, 1), (60, 20)])
    def test_each_share_is_the_sum_over_its_pairs(self, queries, keys):
        attention = random_attention(2, queries, keys)
        offsets = np.arange(keys) - np.arange(queries)[:, None]
        shares = by_distance(attention)
        for number, low in enumerate(DISTANCE_BINS):
            high = (*DISTANCE_BINS, 10**6)[number + 1]
            within = (offsets >= low) & (offsets < high)
            assert shares[:, number] == pytest.approx(attention.numpy()[:, within].sum(1) / queries, abs=1e-5)


class TestPositions:
    def test_of_a_head_that_attends_to_the_first_token(self):
        first = torch.zeros(1, 20, 20)
        first[..., 0] = 1
        weights = by_position(first)[0]
        assert weights[:, 0].tolist() == [1] * POSITIONS + [4] and weights.sum() == 20

    def test_what_follows_the_first_positions_counts_together(self):
        weights = by_position(torch.eye(20)[None])[0]
        assert np.diag(weights).tolist() == [1] * POSITIONS + [4] and weights.sum() == 20

    @pytest.mark.parametrize("queries, keys", [(3, 5), (30, 2), (17, 17)])
    def test_the_weights_of_a_query_sum_to_1(self, queries, keys):
        weights = by_position(random_attention(2, queries, keys))
        at = np.bincount(np.minimum(np.arange(queries), POSITIONS), minlength=POSITIONS + 1)
        np.testing.assert_allclose(weights.sum(2), np.tile(at, (2, 1)), atol=1e-5)

    def test_of_a_corpus_rows_are_means(self, tmp_path):
        checkpoint = checkpoints.load_folder(save_checkpoint(tmp_path, "imdb"), "imdb")
        (survey,) = survey_heads(checkpoint, [(text,) for text in REVIEWS[:2]], [0, 1])
        sums = survey.positions.sum(-1)
        assert set(np.round(sums, 5).ravel()) <= {0.0, 1.0} and (sums[..., 0] > 0.99).all()
        np.testing.assert_allclose(survey.uniform_positions.sum(-1), sums[0, 0], atol=1e-6)


class TestPairs:
    def test_counts_and_chances_by_hand(self):
        """a b c read five times: a always chooses b, b itself, c a; each would choose a given key in a third."""
        counts = PairCounts(1, 10, "self")
        for _ in range(5):
            counts.add(np.array([[1, 1, 0]]), side([7, 8, 9]), side([7, 8, 9]))
        (pairs,) = counts.result()
        assert pairs == (TokenPair(7, 8, 5, pytest.approx(5 / 3)), TokenPair(9, 7, 5, pytest.approx(5 / 3)))
        assert pairs[0].lift == pytest.approx(3) and pairs[0].surprise == pytest.approx(5 * np.log(3) - 10 / 3)

    def test_a_causal_query_chooses_among_those_before(self):
        counts = PairCounts(1, 10, "causal")
        for _ in range(6):
            counts.add(np.array([[0, 0, 1]]), *[side([7, 8, 9])] * 2)
        (pairs,) = counts.result()
        assert {(pair.query, pair.key): pair.expected for pair in pairs} == {
            (8, 7): pytest.approx(3),
            (9, 8): pytest.approx(2),
        }

    def test_special_tokens_and_rare_pairs_are_left_out(self):
        counts = PairCounts(2, 10, "cross")
        for _ in range(4):
            counts.add(np.array([[0, 1], [1, 1]]), side([7, 8]), side([2, 9], special=(0,)))
        assert counts.result() == ((), ())
        counts.add(np.array([[0, 1], [1, 1]]), side([7, 8]), side([2, 9], special=(0,)))
        of_first, of_second = counts.result()
        assert [(pair.query, pair.key, pair.count) for pair in of_first] == [(8, 9, 5)]
        assert {(pair.query, pair.key, pair.expected) for pair in of_second} == {(7, 9, 2.5), (8, 9, 2.5)}

    def test_frequent_pairs_survive_a_full_table(self):
        counts, random = PairCounts(1, 1000, "self", table=60), np.random.default_rng(0)
        for _ in range(50):
            noise = random.integers(100, 1000, 8)
            counts.add(np.array([[1, 0, *range(3, 10), 2]]), *[side([7, 8, *noise])] * 2)
        (pairs,) = counts.result()
        assert {(pair.query, pair.key): pair.count for pair in pairs[:2]} == {(7, 8): 50, (8, 7): 50}
        assert len(counts._codes) <= 60


class TestSurvey:
    TEXTS = [(text,) for text in REVIEWS] * 4

    @pytest.fixture
    def checkpoint(self, tmp_path):
        return checkpoints.load_folder(save_checkpoint(tmp_path, "imdb"), "imdb")

    def test_means_intervals_and_passages(self, checkpoint):
        rows = [10 * number for number in range(12)]
        seen = []
        (survey,) = survey_heads(checkpoint, self.TEXTS, rows, lambda done, total: seen.append((done, total)))
        assert (seen[0], seen[-1]) == ((0, 12), (12, 12))
        explanations = [explain(checkpoint, *texts) for texts in self.TEXTS]
        assert (survey.kind, survey.inputs) == ("self", 12)
        assert survey.tokens == sum(len(explanation.encoding.tokens) for explanation in explanations)
        previous = np.array(
            [
                e.attention[..., range(1, T), range(T - 1)].mean(-1)
                for e in explanations
                for T in [len(e.encoding.tokens)]
            ]
        )  # (I, L, H)
        statistic = survey.statistics["previous"]
        np.testing.assert_allclose(statistic.mean, previous.mean(0), atol=1e-5)
        assert (statistic.interval[..., 0] <= statistic.mean).all() and (
            statistic.mean <= statistic.interval[..., 1]
        ).all()
        lengths = np.array([len(explanation.encoding.tokens) for explanation in explanations])
        assert statistic.uniform == pytest.approx((1 / lengths).mean()) and not statistic.shuffled.size
        row, query = statistic.passages(1, 0, 9)[0]
        values = previous[:, 1, 0]
        assert values[row // 10] == pytest.approx(values.max(), abs=1e-6)
        attention = explanations[row // 10].attention[1, 0]
        T = len(attention)
        assert query - 1 == attention[range(1, T - 1), range(T - 2)].argmax(), "[SEP] is left out"
        assert survey.distances[1, 0].sum() == pytest.approx(1) and survey.shape == (2, 2)

    def test_divergence_is_that_of_the_profile_and_names_the_nearest(self, checkpoint):
        model = checkpoint.model
        with torch.no_grad():  # two heads of the first layer become one
            for part in (model.layers[0].attention.query, model.layers[0].attention.key):
                part.weight[4:], part.bias[4:] = part.weight[:4], part.bias[:4]
        (survey,) = survey_heads(checkpoint, self.TEXTS, range(12))
        assert survey.divergence_inputs == 12
        (layer, head, distance), *_ = survey.neighbours(0, 0, 3)
        assert (layer, head) == (0, 1) and distance == pytest.approx(0, abs=1e-3)
        assert len(survey.neighbours(0, 0, 9)) == 3

    def test_a_pair_has_controls_with_shuffled_tokens(self, tmp_path):
        checkpoint = checkpoints.load_folder(save_checkpoint(tmp_path, "afqmc"), "afqmc")
        (survey,) = survey_heads(checkpoint, [(QUESTIONS[0], QUESTIONS[1]), (QUESTIONS[2], QUESTIONS[0])], (4, 7))
        same = survey.statistics["same"]
        assert same.shuffled.shape == (2, 2) and same.control(0, 0) >= same.uniform
        assert {row for row, _ in same.passages(0, 0, 0) + same.passages(0, 0, 1)} == {4, 7}

    def test_a_translation_has_three_attentions(self):
        checkpoint = translation_checkpoint(end=3)
        surveys = survey_heads(checkpoint, [(TEXTS[0], TEXTS[1]), (TEXTS[3], TEXTS[2])], (0, 1))
        assert [survey.kind for survey in surveys] == ["self", "causal", "cross"]
        assert "distance" not in surveys[2].statistics and "first" in surveys[1].statistics

    def test_texts_that_cannot_be_read_are_left_out(self, checkpoint):
        (survey,) = survey_heads(checkpoint, [("",), ("a good film",)], (0, 1))
        assert survey.inputs == 1
        with pytest.raises(Failure, match="heads.no_texts"):
            survey_heads(checkpoint, [("",)], (0,))

    def test_attention_that_is_not_finite_is_refused(self, checkpoint):
        with torch.no_grad():
            checkpoint.model.layers[0].attention.query.weight.fill_(torch.nan)
        with pytest.raises(Failure, match="analysis.no_numbers"):
            survey_heads(checkpoint, self.TEXTS, range(12))

    def test_it_ends_where_progress_raises(self, checkpoint):
        def stop(done: int, total: int) -> None:
            if done == 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            survey_heads(checkpoint, self.TEXTS, range(12), stop)
