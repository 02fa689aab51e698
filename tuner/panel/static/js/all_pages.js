// A list that is asked for page by page, as a whole.

const LIMIT = 200;
// Nobody reads more, and no server should be asked for ever.
const MOST = 2000;

/** The items of `ask(page)`, the first MOST of them, and how many there are: `{items, total}`. */
export async function allPages(ask) {
  const items = [];
  for (;;) {
    const found = await ask({ limit: LIMIT, offset: items.length });
    items.push(...found.items);
    if (!found.items.length || items.length >= Math.min(found.total, MOST)) return { items, total: Math.max(found.total, items.length) };
  }
}
