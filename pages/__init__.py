"""The Streamlit pages: widgets wired to viz_core. Nothing here computes, draws or imports torch."""
