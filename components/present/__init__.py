"""From a board to the records the pages are drawn from: names, numbers and findings, no layout."""
