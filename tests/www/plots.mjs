// The plots of the page for journeys.

/** The rows of the table of a plot, by the names of its columns. */
export async function rowsOf(page, name) {
  const table = page.locator(`[data-plot="${name}"]:not([data-stale]) .plot-table`);
  if ((await table.getAttribute("open")) === null) await table.locator("summary").click();
  await table.locator("tbody tr").first().waitFor();
  return table.locator("table").evaluate(({ rows: [head, ...rows] }) => {
    const names = [...head.cells].map(({ textContent }) => textContent);
    return rows.map(({ cells }) => Object.fromEntries(names.map((name, index) => [name, cells[index].textContent])));
  });
}

export const plotArea = (page, name) => page.locator(`[data-plot="${name}"] .plot-area`);
export const finding = (page, name) => page.locator(`[data-plot="${name}"] .plot-finding`).textContent();
