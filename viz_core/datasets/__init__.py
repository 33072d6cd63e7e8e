"""Corpora: find, download, verify and read them; the sample corpora; behavioural tests."""
