import { render } from "preact";
import type { Report } from "./data.ts";
import { ReportPage } from "./report.tsx";
import "./report.css";

const [data, root] = ["data", "app"].map((id) => document.getElementById(id));
if (data && root) render(<ReportPage report={JSON.parse(data.textContent ?? "") as Report} />, root);
