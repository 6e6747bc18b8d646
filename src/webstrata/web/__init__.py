"""URLs and what is made of them."""
