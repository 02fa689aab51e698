"""TPC-H in which few customers, parts and suppliers have most of the rows."""
