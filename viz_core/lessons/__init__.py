"""Lessons: a Markdown file each, read into records. Showing them is up to the pages."""

from viz_core.lessons.finding import find_lesson, read_lessons
from viz_core.lessons.lesson import CARD, LESSON, Ask, Card, Done, Lesson, Side

__all__ = ["CARD", "LESSON", "Ask", "Card", "Done", "Lesson", "Side", "find_lesson", "read_lessons"]
