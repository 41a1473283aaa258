/** Keeps the page for when there is no network. A browser without service workers, or without room, does without. */
export async function keepForOffline(): Promise<void> {
  try {
    await navigator.serviceWorker.register("./offline.js");
  } catch {
    // It is a page like any other then.
  }
}
