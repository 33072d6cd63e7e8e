"""The library's cache of keys and values, as what the states of our generators hold.

The library writes into its cache; one made anew for every pass leaves earlier states unchanged.
"""

from collections.abc import Sequence

from transformers import Cache, DynamicCache, PreTrainedConfig
from transformers.cache_utils import DynamicLayer, LinearAttentionCacheLayerMixin

from viz_core.models.attention import KeysValues


def to_cache(layers: Sequence[KeysValues]) -> DynamicCache:
    """Return a cache that holds the keys and values of each layer; they are not copied.

    Given to the constructor, they would be: it appends them to nothing.
    """
    cache = DynamicCache()
    for keys, values in layers:
        layer = DynamicLayer()
        layer.lazy_initialization(keys, values)
        layer.keys, layer.values = keys, values
        cache.layers.append(layer)
    return cache


def keys_values(cache: Cache) -> tuple[KeysValues, ...]:
    """Return the keys and values of each layer of a cache, `(B, G, S, d)` each, G heads of keys and values."""
    return tuple(KeysValues(layer.keys, layer.values) for layer in cache.layers)


def layers_without_attention(config: PreTrainedConfig) -> tuple[int, ...]:
    """Return the layers, from 0, that keep no keys: of state spaces, convolutions, linear attention."""
    layers = DynamicCache(config=config).layers
    return tuple(number for number, layer in enumerate(layers) if not isinstance(layer, DynamicLayer))


def has_other_states(config: PreTrainedConfig) -> bool:
    """Whether a layer keeps, besides keys and values or instead of them, a state that cannot be cut back."""
    return any(isinstance(layer, LinearAttentionCacheLayerMixin) for layer in DynamicCache(config=config).layers)
