import { testEngine } from "./journeys.mjs";

testEngine("WebKit");
