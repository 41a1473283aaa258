/**
 * `turnfold/adapters/ag-ui`: calls that wait, as interrupts of the AG-UI protocol, and its responses as their answers.
 *
 * @packageDocumentation
 */

export type { AGUIInterrupt, AGUIInterruptOptions, AGUIResumeEntry } from "./ag-ui/interrupts.ts";
export { answersFromResume, interruptsOf } from "./ag-ui/interrupts.ts";
