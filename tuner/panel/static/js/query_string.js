// Query strings, read as Airflow writes them: a `+` is a `+` (Airflow 3.1 puts run ids in raw), never a space.

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray per cent sign: what was sent, as it is.
    return text;
  }
}

/** `?a=1&b=` as a map; of a name given twice the first counts. */
export function readQuery(search) {
  const found = new Map();
  for (const part of search.replace(/^\?/, "").split("&").filter(Boolean)) {
    const [name, ...rest] = part.split("=");
    if (!found.has(decoded(name))) found.set(decoded(name), decoded(rest.join("=")));
  }
  return found;
}

/** `path?a=1&b=2`, without what is empty, undefined or null. */
export function withQuery(path, pairs) {
  const given = Object.entries(pairs).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  const written = given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return written.length ? `${path}?${written.join("&")}` : path;
}
