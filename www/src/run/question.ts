import { batch, type Signal } from "@preact/signals";

/** What somebody in front of the page is asked in the model's place. */
export type Question<About> = About & { answer(reply: string): void };

/** Asks, and waits for the reply; then the question is gone, and the field for it empty. */
export const replyTo = <About extends object>(
  about: About,
  question: Signal<Question<About> | null>,
  draft: Signal<string>,
): Promise<string> =>
  new Promise((resolve) => {
    question.value = {
      ...about,
      answer(reply) {
        batch(() => {
          question.value = null;
          draft.value = "";
        });
        resolve(reply);
      },
    };
  });
