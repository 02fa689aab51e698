// Bytes, rows, seconds and shares in words, the same ones in every locale and as the command line has them (tuner/units.py).

function scaled(count, units, step) {
  for (const unit of units) {
    const last = unit === units.at(-1);
    if (Math.abs(count) < 999.5 || last) return [count, unit];
    count /= step;
  }
  return [count, ""];
}

export function bytes(count) {
  const [value, unit] = scaled(count, ["B", "kB", "MB", "GB", "TB"], 1000);
  return `${unit === "B" || Math.abs(value) >= 99.95 ? value.toFixed(0) : value.toFixed(1)} ${unit}`;
}

export function count(number) {
  const [value, unit] = scaled(number, ["", "k", "M", "G"], 1000);
  return `${unit === "" || Math.abs(value) >= 99.95 ? value.toFixed(0) : value.toFixed(1)}${unit}`;
}

export function rows(number) {
  return `${count(number)} ${number === 1 ? "row" : "rows"}`;
}

export function seconds(value) {
  const size = Math.abs(value);
  if (size >= 7200) return `${value < 0 ? "-" : ""}${Math.floor(size / 3600)} h ${Math.floor((size % 3600) / 60)} min`;
  if (size >= 120) return `${value < 0 ? "-" : ""}${Math.floor(size / 60)} min ${Math.floor(size) % 60} s`;
  return size < 1 ? `${value.toFixed(2)} s` : `${value.toFixed(1)} s`;
}

export function share(value) {
  const percent = 100 * value;
  if (value === 0 || Math.abs(value) >= 0.001) return `${percent.toFixed(Math.abs(percent) >= 10 ? 0 : 1)}%`;
  return `${percent.toPrecision(1)}%`;
}

// What is less is none to speak of, and would be written as a power of ten.
const LEAST = 1e-6;

/** Core-hours or GiB-hours: `0.0167`, `12.3`, `1,204`: the number alone. */
export function hours(amount) {
  const size = Math.abs(amount);
  if (size < LEAST) return "0";
  return size >= 100 ? grouped(Math.round(amount)) : String(Number(amount.toPrecision(3)));
}

/** An amount in whatever currency its price was in. */
export function money(amount) {
  const size = Math.abs(amount);
  if (size >= 100) return `${amount < 0 ? "-" : ""}${grouped(Math.round(size))}`;
  if (size > 0 && size < LEAST) return "0";
  return size >= 0.1 || size === 0 ? amount.toFixed(2) : amount.toPrecision(2).replace(/\.?0+$/, "");
}

/** A number of things: `1 run`, `1,204 runs`. */
export function counted(number, one, many = `${one}s`) {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

export function grouped(number) {
  return Math.trunc(number)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

function decimal(value) {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 100) return grouped(Math.round(value));
  return size < LEAST ? "0" : value.toPrecision(3);
}

const WORDS = { rows, bytes, seconds, share };

/** A measured number with the unit that the core gives it: rows, bytes, seconds, share, runs, tasks, … */
export function measured(value, unit) {
  if (Object.hasOwn(WORDS, unit)) return WORDS[unit](value);
  if (unit.endsWith("seconds")) return `${seconds(value)} (${unit})`;
  return unit ? `${decimal(value)} ${unit}` : decimal(value);
}
