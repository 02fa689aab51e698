"""One HTML file that opens anywhere and asks nobody for anything: data, sheets, modules and libraries in it."""
