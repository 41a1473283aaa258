import { DatabaseSync } from "node:sqlite";

/**
 * A table of lines of JSON in a file of SQLite. Each is in the file when `add` returns.
 *
 * @param db of {@link open}.
 */
export function journal(db, name) {
  db.exec(`CREATE TABLE IF NOT EXISTS "${name}" (number INTEGER PRIMARY KEY, line TEXT)`);
  const lines = db
    .prepare(`SELECT line FROM "${name}" ORDER BY number`)
    .all()
    .map(({ line }) => JSON.parse(line));
  const insert = db.prepare(`INSERT INTO "${name}" VALUES (?, ?)`);
  return {
    lines,
    add(line) {
      const text = JSON.stringify(line);
      lines.push(JSON.parse(text));
      insert.run(lines.length, text);
    },
  };
}

/** A file of SQLite, whose changes outlive the process, though not the machine. */
export function open(path) {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  return db;
}
