// The exports of all entries together, with the wasm of turnfold.

export * from "turnfold";
export { init } from "turnfold";
export * from "turnfold/audit";
export * from "turnfold/chat/slim";
export * from "turnfold/formats/ai-sdk";
export * from "turnfold/formats/anthropic";
export * from "turnfold/formats/gemini";
export * from "turnfold/formats/openai";
export * from "turnfold/gateway";
export * from "turnfold/lisp/slim";
export * from "turnfold/models/ai-sdk";
export * from "turnfold/models/anthropic";
export * from "turnfold/models/fetch";
export * from "turnfold/models/gemini";
export * from "turnfold/models/openai";
export * from "turnfold/predict/slim";
export * from "turnfold/turns/slim";
