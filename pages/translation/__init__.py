"""The page of translations: word by word, with candidates, beam search, teacher forcing and what-if."""
