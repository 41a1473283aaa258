import { messageOf } from "../page/problem.ts";
import { openExample, origin, showProblem } from "../states/store.ts";

/** Opens an example, unless it is open, and starts its tour. */
export async function takeTour(id: string): Promise<void> {
  try {
    if (origin.value?.id !== id) await openExample(id);
    const { startTour } = await import("./tour.tsx");
    if (origin.value?.id === id) startTour(id);
  } catch (error) {
    showProblem(`The tour could not be loaded: ${messageOf(error)}.`);
  }
}
