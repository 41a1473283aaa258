import { testEngine } from "./journeys.mjs";

testEngine("Firefox");
