import { render } from "preact";
import { followAddress } from "./address.ts";
import { App } from "./app.tsx";
import { followProvenance } from "./provenance.ts";
import "./style.css";

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no place for the playground");

await followAddress();
followProvenance();
render(<App />, root);
