"""An encoder that was trained elsewhere as the start of ours: its config, its tokenizer and its weights, from a folder
as the Hugging Face Hub has them, without its libraries."""
