/** Opens the browser's dialog for a JSON file. */
export function chooseFile(take: (file: File) => void): void {
  const input = Object.assign(document.createElement("input"), { type: "file", accept: ".json,application/json" });
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file !== undefined) take(file);
  });
  input.click();
}
