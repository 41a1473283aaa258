import { batch, type Signal } from "@preact/signals";

/** A request that the user answers in place of the model. */
export type Question<About> = About & { answer(reply: string): void };

/** Asks the user and waits for the reply. Then it removes the question and clears its field. */
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
