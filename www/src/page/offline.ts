/** Stores the page for use without a network. Does nothing in a browser without service workers or space. */
export async function keepForOffline(): Promise<void> {
  try {
    await navigator.serviceWorker.register("./offline.js");
  } catch (error) {
    // The page works without it as long as there is a network.
    console.warn("The page is not kept for use without a network.", error);
  }
}
