import { memory } from "../repl.ts";

/** The definitions of the REPL. */
export function Memory() {
  return (
    <section aria-labelledby="memory-title">
      <h2 id="memory-title" class="pane-title">
        Memory <span class="count">{memory.value.length}</span>
      </h2>
      {memory.value.length === 0 ? (
        <p class="empty">Nothing is defined yet.</p>
      ) : (
        <table class="memory" aria-labelledby="memory-title">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Type</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {memory.value.map(({ name, type, value }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{type}</td>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
