// The types of the records that the server packs, and of what the views make of them. Q queries, K keys, L layers, H heads.

export {};

/** @typedef {"self" | "causal" | "cross"} Kind of an attention */
/** @typedef {[layer: number, head: number]} Head counted from 0 */
/** @typedef {Record<string, string | { one: string, other: string }>} Catalogue messages by key */
/** @typedef {(key: string, values?: Record<string, unknown>) => string} Say a message of the catalogue as a sentence */
/** @typedef {{ url: string, body: Record<string, any> }} ServerRequest where to ask, and what every request says */

/**
 * viz_core/rendering/theme.py.
 *
 * @typedef {object} Theme
 * @property {"light" | "dark"} mode
 * @property {string} background
 * @property {string} surface
 * @property {string} ink
 * @property {string} muted
 * @property {string} line
 * @property {string} accent
 * @property {string[]} sequential
 * @property {string[]} diverging
 * @property {[special: string, a: string, b: string]} groups
 * @property {[first: string, last: string]} classes
 * @property {string} query
 * @property {string} key
 * @property {string[]} heads
 * @property {number} text
 * @property {number} small
 * @property {number} title
 * @property {number} row
 * @property {number} side
 * @property {string} font
 * @property {string[]} categories
 */

/**
 * The tokens of the queries or of the keys (packed_sides.py). `groups`: -1 special, 0 and 1 text A and B. `texts`: of each
 * the pieces, `[string, token or -1]`. `name`: of a side of a translation.
 *
 * @typedef {object} Side
 * @property {number} tokens
 * @property {string[]} labels
 * @property {number[]} groups
 * @property {number[]} segments
 * @property {string[]} wordLabels
 * @property {number[]} words
 * @property {boolean[]} unknown
 * @property {[string: string, token: number][][]} texts
 * @property {string} [name]
 */

/**
 * The prediction (shared.py: prediction_fields). `predicted`: -1 without a classifier.
 *
 * @typedef {object} Prediction
 * @property {string[]} labels
 * @property {number[]} probabilities
 * @property {string[]} percents
 * @property {number} predicted
 * @property {number | null} threshold
 * @property {string} mark
 * @property {string} verdict
 * @property {string} remark
 * @property {string} doubt
 * @property {string} caution
 */

/**
 * What the header says of an attention (packing.py: pack_attention).
 *
 * @typedef {object} Attention
 * @property {Kind} [kind] none: self
 * @property {number} layers
 * @property {number} heads
 * @property {Record<string, number[][]>} statistics by name, of each layer and head
 * @property {Record<string, number>} uniform the same of a uniform head
 * @property {[rows: number, columns: number]} grid of a thumbnail
 * @property {number[][]} peaks
 * @property {boolean} thumbnails
 * @property {Head[]} sent
 * @property {Head[] | null} mean
 * @property {number} [steps] a weight of 1 in the exact weights, if not STEPS
 * @property {string[]} measures
 * @property {boolean} hasNorms
 */

/**
 * What reads the weights of an attention (unpack.js, measures.js). `unit`: what a weight of 1 stands for in `matrix`.
 *
 * @typedef {object} Readers
 * @property {"weights" | "norms"} measure
 * @property {number} unit
 * @property {Uint8Array | null} norms
 * @property {(layer: number, head: number) => boolean} has
 * @property {(layer: number, head: number) => Uint16Array | Float32Array | null} matrix
 * @property {(layer: number, head: number) => Uint8Array} thumbnail
 * @property {(layer: number, head: number, key: number) => number} received
 * @property {(key: number) => number} receivedUniformly
 * @property {{ heads: Head[], weights: Uint16Array | Float32Array } | null} mean
 */

/**
 * What is known of an input besides its attention and its sides. Theme, language and catalogue come with the first one;
 * `dark` with a file.
 *
 * @typedef {object} Description
 * @property {string} id
 * @property {string} model
 * @property {string} [modelName]
 * @property {boolean} pair
 * @property {boolean} pieces whether tokens are pieces of words
 * @property {string | null} [pooling]
 * @property {Prediction} prediction
 * @property {string[]} notices
 * @property {Record<string, string>} selection
 * @property {ServerRequest | null} request
 * @property {{ rows: number, statistics: Record<string, number[][]>, uniform: Record<string, number> }} [corpus]
 * @property {Theme} theme
 * @property {Theme} [dark]
 * @property {string} language
 * @property {Catalogue} catalogue
 * @property {Instrument} [instrument]
 * @property {Record<string, string>} [names] what people call heads, by attention and head: `self 2.4`
 * @property {number} [turns] how often the browser went back or forward
 * @property {number} [choices] how often a head was selected below the explorer
 * @property {Input} [base] of a value-weighted input, the one with the weights
 */

/** @typedef {Omit<Attention, "mean"> & Readers & Description} Drawn */
/** @typedef {Drawn & Side & { sides?: undefined, kinds?: undefined, ofKind?: undefined }} TextInput texts, of which the tokens are queries and keys */

/**
 * An attention of a translation; `ofKind`: the others.
 *
 * @typedef {Drawn & { sides: { query: Side, key: Side }, kinds: Kind[], ofKind: (kind: Kind) => Input | undefined }} TranslationInput
 */

/** @typedef {TextInput | TranslationInput} Input what an explorer draws */

/**
 * What the instrument is opened with (pages/explore/instrument.py).
 *
 * @typedef {object} Instrument
 * @property {string[]} boxes
 * @property {{ label: string, texts: string[], gloss?: string[] }[]} examples
 * @property {string[]} texts
 * @property {number} limit
 * @property {number} most
 * @property {string} refusal
 * @property {string[]} blank what is said of each text that is empty
 * @property {ServerRequest} request
 * @property {ServerRequest | null} test where the prediction after changes is asked for, if there is one
 * @property {boolean} corpus whether a head has a page of its own
 */

/**
 * Tokens or words of a side (units.js).
 *
 * @typedef {object} Units
 * @property {number} count
 * @property {string[]} labels
 * @property {number[]} groups
 * @property {number[]} segments
 * @property {Int32Array} first
 * @property {Int32Array} size
 * @property {Int32Array} of
 */

/** @typedef {{ query: Units, key: Units, isCausal: boolean }} UnitsOfSides */

/**
 * Units in rows and columns (attention.js: axesOf).
 *
 * @typedef {object} Axes
 * @property {number[]} queries
 * @property {number[]} keys
 * @property {Int32Array} rowOf
 * @property {Int32Array} columnOf
 * @property {Int32Array} reach
 */

/** @typedef {Axes & { weights: Float32Array, largest: number }} WeightMap weights (Q · K) on axes */
/** @typedef {WeightMap & { all: Float32Array, special: string, block: string }} AttentionMap with the weights of all units */
/** @typedef {WeightMap & { mean: number, cells: number }} DifferenceMap NaN where nothing can be compared */
/** @typedef {{ currentOf: Int32Array, referenceOf: Int32Array, moved: boolean[] }} Aligned partners of the units of both sides of a comparison (alignment.js) */

/**
 * What views draw of a difference to a reference (comparison.js).
 *
 * @typedef {object} Difference
 * @property {DifferenceMap} map
 * @property {Float32Array} weights
 * @property {{ all: WeightMap, stronger: WeightMap, weaker: WeightMap }} sizes
 * @property {Aligned} aligned
 * @property {Derived} reference
 * @property {number[][]} gaps
 * @property {Input} input
 */

/**
 * What the views draw (derivation.js).
 *
 * @typedef {object} Derived
 * @property {number} tokens of the keys
 * @property {string} unit
 * @property {UnitsOfSides} sides
 * @property {Units} units
 * @property {Axes} axes
 * @property {AttentionMap | null} map
 * @property {AttentionMap[]} maps
 * @property {number | null} query
 * @property {number | null} key
 * @property {boolean} isSquare
 * @property {number | null} token
 * @property {"query" | "key"} over
 * @property {Float32Array | null} weights
 * @property {string[]} [marks]
 * @property {Difference | null} [difference]
 * @property {number} [mostWeight]
 */

/** @typedef {{ queries: [number, number], keys: [number, number] }} Range tokens, inclusive */

/**
 * The state of an explorer (selection.js).
 *
 * @typedef {object} State
 * @property {Head[]} heads
 * @property {number | null} query
 * @property {number | null} key
 * @property {Range | null} range
 * @property {{ query: number, key: number } | null} hover
 * @property {string} unit
 * @property {string} special
 * @property {string} block
 * @property {string} scale
 * @property {string} limit
 * @property {string} measure
 * @property {string} direction
 * @property {string} order
 * @property {string[]} views
 * @property {boolean | "norms"} failed
 * @property {boolean} help
 * @property {TextInput | null} reference
 * @property {Head[] | null} referenceHeads
 * @property {boolean} follows
 * @property {string | null} comparison
 * @property {string} refusal
 * @property {string | null} present
 */

/** @typedef {"query" | "key"} SideName */
/** @typedef {{ x: number, y: number, cell: number }} Viewport viewport.js */
/** @typedef {{ width: number, height: number, columns: number, rows: number, least: number, largest: number }} Frame viewport.js */

/**
 * A step of a translation (pages/routes/translate.py): the token that is produced, with the likeliest candidates, `[id,
 * token, probability]`.
 *
 * @typedef {object} Step
 * @property {number} id
 * @property {string} token
 * @property {number} probability
 * @property {number | null} rank
 * @property {[id: number, token: string, probability: number][]} candidates
 * @property {number | null} [log_probability] of a language model; null of probability 0
 */

/** @typedef {{ id: number, token: string, probability: number, log_probability: number, parent: number, depth: number, survives: boolean }} BeamNode of a beam search */

/**
 * What is known of a translation (translation/result.js).
 *
 * @typedef {object} Translation
 * @property {{ labels: string[], special: boolean[] } | null} source
 * @property {string[]} notices
 * @property {Step[]} steps
 * @property {BeamNode[]} nodes
 * @property {{ node: number, score: number }[]} leaves
 * @property {{ steps: Step[], changed: number[] } | null} original
 * @property {{ passes: number, seconds: number, forced_seconds: number } | null} exposure
 * @property {boolean} complete
 * @property {boolean} done
 * @property {Uint8Array | null} packed
 * @property {string} [text]
 */

/**
 * What is set in a translation (translation/state.js).
 *
 * @typedef {object} TranslationState
 * @property {string} text
 * @property {string} view
 * @property {string} method
 * @property {number} temperature
 * @property {number} seed
 * @property {number} width
 * @property {string} reference
 * @property {[position: number, word: string][]} fed
 * @property {Head[]} masked
 * @property {number[]} blocked
 * @property {number | null} word
 */

/**
 * What is asked of a word or a prediction (explorer/matters.js): without `heads`, and without `tokens` of the keys. `query`:
 * the selected one; `tested`: the name of what may change; `unitName`: that of the tokens; `name`: of the question.
 *
 * @typedef {{ input: Input, heads: Head[], query: number | null, tokens: number[], tested: string, unitName: string, name: string }} Question
 */

/**
 * Changes of a probability: without the heads, the smallest and the largest without as many others (empty where there are
 * none), and without the tokens. `more`: whether the heads change more than any others. `slow`: whether others were not
 * tried. `now`, `nowOfHead`: what is likeliest then, null for the same.
 *
 * @typedef {{ head: number, others: number[], more: boolean, slow: boolean, token: number, now: string | null, nowOfHead: string | null }} Effects
 */

/**
 * What a translation is opened with (pages/shared/translating.py); `explorer`: the catalogue of the explorer.
 *
 * @typedef {object} TranslationOpening
 * @property {{ label: string, texts: string[], reference: string, gloss: string[] }[]} examples
 * @property {string} source
 * @property {string} blank what is said of an empty text
 * @property {string} begin
 * @property {boolean} hasInside
 * @property {number} limit
 * @property {number} most
 * @property {number} turns
 * @property {number} layers
 * @property {number} heads
 * @property {Record<string, string>} names what people call heads, by attention and head: `self 2.4`
 * @property {Record<string, string>} link
 * @property {Catalogue} explorer
 * @property {ServerRequest} request
 * @property {ServerRequest} effects of a word, of pages/routes/word_effects.py
 */

/**
 * What is known of a text of a language model (generation/result.js). `starts`: where the tokens of the typed text begin
 * in it; those after them were written. `steps`: null where nothing was read before.
 *
 * @typedef {object} GenerationResult
 * @property {string[]} labels
 * @property {number[]} starts
 * @property {number[]} markers places of the tokens that are markers in what was read, such as those of a chat template
 * @property {string[]} special those among the candidates and what was written that are markers, not text
 * @property {(Step | null)[]} steps
 * @property {string[]} notices
 * @property {{ id: number, token: string, probabilities: number[] }[]} next of the model, after temperature, top-k and top-p
 * @property {string} notice
 * @property {string} answer what was written, as a text
 * @property {boolean} done
 */

/**
 * What is set of a text of a language model (generation/state.js). `at`: the token that is selected, null for the next one.
 *
 * @typedef {object} GenerationState
 * @property {string} text
 * @property {boolean} chat whether the text is a message
 * @property {string} system the line before all messages
 * @property {{ message: string, answer: string }[]} turns of the chat before this message
 * @property {number[]} written
 * @property {number[]} kept another continuation to compare it with; empty: none
 * @property {string} without heads that write nothing, as they were typed
 * @property {string} method
 * @property {number} temperature
 * @property {number} topK
 * @property {number} topP
 * @property {number} seed
 * @property {number | null} at
 */

/**
 * What such a text is opened with (pages/generation/page.py).
 *
 * @typedef {object} GenerationOpening
 * @property {{ offered: boolean, system: boolean, turns: boolean, problem: string }} chat of the chat template of the model
 * @property {{ label: string, texts: string[] }[]} examples
 * @property {number} limit
 * @property {number} most
 * @property {number} turns
 * @property {Record<string, string>} link
 * @property {ServerRequest} request
 */

/**
 * Arrays of numbers with a header (inside/record.js).
 *
 * @typedef {object} Arrays
 * @property {(name: string) => boolean} has
 * @property {(name: string) => number[]} shape
 * @property {(name: string) => Float32Array} array
 * @property {(name: string) => Float32Array[]} rows
 */

/**
 * The changes to a head (inside/state.js); what is missing is unchanged.
 *
 * @typedef {object} HeadChanges
 * @property {boolean} [unscaled]
 * @property {number} [temperature]
 * @property {[query: number, key: number, score: number][]} [scores]
 * @property {number[]} [masked]
 * @property {boolean} [causal]
 * @property {number} [values]
 * @property {boolean} [everywhere]
 */

/**
 * The computation of a head (viz_core/records/inside.py, as packed by inside.py).
 *
 * @typedef {object} InsideHeader
 * @property {Kind} kind
 * @property {Kind[]} kinds
 * @property {Record<string, string>} [names] what people call heads, by attention and head: `self 2.4`
 * @property {number} layer
 * @property {number} head
 * @property {number} query
 * @property {number} key
 * @property {"pre" | "post"} norm
 * @property {boolean} parallel
 * @property {boolean} centred
 * @property {boolean} learned
 * @property {number} epsilon
 * @property {string[]} biases
 * @property {string} activation
 * @property {string} positions
 * @property {number} embeddingScale
 * @property {number} divisor
 * @property {number | null} cap
 * @property {number | null} slidingWindow
 * @property {string | null} pooling
 * @property {Record<string, number>} sizes
 * @property {{ name: string, stack: string, layer: number | null, parameters: number }[]} blocks
 * @property {string[]} parts
 * @property {{ start: number, length: number }} window
 * @property {number} entropy
 * @property {number} lengthening
 * @property {{ labels: string[], temperature: number | null, activation: string, predicted: number, threshold: number | null, allClasses: number, position: number | null, cap: number | null }} prediction
 * @property {{ entropy: number, predicted: number } | null} unchanged
 * @property {{ query: Side, key: Side }} sides
 * @property {{ step?: string, changes: HeadChanges }} state
 */

/** @typedef {InsideHeader & Arrays} InsideRecord */

/**
 * What the page about the inside of attention is opened with (pages/inside); `refusal`: why there is no record.
 *
 * @typedef {InsideRecord & { theme: Theme, language: string, catalogue: Catalogue, turns: number, refusal?: string,
 *   request: ServerRequest, matrixRequest: ServerRequest }} InsideOpening
 */

/**
 * What-if of an input (viz_core/explorer/whatif.py); `row`: the row of attention that is shown at first, null without
 * attention.
 *
 * @typedef {object} WhatIfInput
 * @property {number} layers
 * @property {number} heads
 * @property {boolean} pair
 * @property {number} tokens
 * @property {string[]} labels
 * @property {number[]} groups
 * @property {number[]} segments
 * @property {string[]} classes
 * @property {number | null} threshold
 * @property {number[]} original
 * @property {number | null} predicted
 * @property {number | null} tracked
 * @property {[layer: number, head: number, query: number] | null} row
 * @property {Record<string, any[]>} changes
 * @property {number} turns
 * @property {Kind} kind
 * @property {Record<string, string>} names what people call heads, by attention and head: `self 2.4`
 * @property {boolean} replaces
 * @property {ServerRequest} request
 * @property {Theme} theme
 * @property {string} language
 * @property {Catalogue} catalogue
 */

/**
 * The atlas of heads (viz_core/explorer/atlas.py). Lists have N = L·H entries, layer by layer. `groups`: the number of the
 * group of a head, -1 for none. `named`: the heads that stand out. `thumbnails`: `(N, rows, columns)`.
 *
 * @typedef {object} Atlas
 * @property {string} id
 * @property {number} layers
 * @property {number} heads
 * @property {Record<string, { title: string, unit: "share" | "tokens" | "change", values: number[], low: number[], high: number[], uniform: number | null }>} measures
 * @property {number[]} groups
 * @property {string} groupsNote
 * @property {{ text: string, heads: number[] }[]} found
 * @property {number[]} named
 * @property {Record<string, string>} names what people call heads, by attention and head: `self 2.4`
 * @property {Kind} kind
 * @property {{ grid: [rows: number, columns: number], peaks: number[], tokens: number, text: string } | null} thumbnail
 * @property {Uint8Array} thumbnails
 * @property {{ x: string, y: string, colour: string }} link
 * @property {boolean} opens
 * @property {number} turns
 * @property {Theme} theme
 * @property {string} language
 * @property {Catalogue} catalogue
 */

/**
 * An input of a corpus (passages.py): its tokens, the weight of the query on each, and the query, if it is one of them.
 *
 * @typedef {Side & { query: string, marked: number | null, weights: number[], tenth: number, row: number }} Passage
 */

/**
 * What `passages/` draws.
 *
 * @typedef {object} Passages
 * @property {Passage[]} passages
 * @property {Theme} theme
 * @property {string} language
 * @property {Catalogue} catalogue
 */

/** @typedef {{ heads: Record<string, string>, tokens: Record<string, string>, rows: Record<string, number[]>, deletes: boolean }} Changes of what-if (whatif/changes.js) */

/** @typedef {ReturnType<typeof import("../explorer/explorer.js").openExplorer>} Explorer an explorer that is open */
