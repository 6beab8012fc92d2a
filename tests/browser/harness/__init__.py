"""A static page with synthetic runs that exercises the scripts and styles of `assets/` without a server."""
