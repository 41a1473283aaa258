import { Sides } from "../../controls/sides.tsx";
import { Call } from "./call.tsx";
import { HistoryEditor } from "./history.tsx";
import { Inputs } from "./inputs.tsx";
import { Messages } from "./messages.tsx";
import { ProgramModel } from "./model.tsx";
import { Settings } from "./settings.tsx";
import { Shapes } from "./shapes.tsx";
import { SignatureEditor } from "./signature.tsx";

/** A typed call of a model: its signature and settings on the left, its messages and result on the right. */
export const ProgramsTab = () => (
  <Sides
    left="Signature"
    right="Call"
    history={
      <div class="programs">
        <SignatureEditor />
        <Settings />
        <ProgramModel />
      </div>
    }
    messages={
      <div class="programs">
        <Inputs />
        <HistoryEditor />
        <Call />
        <Messages />
        <Shapes />
      </div>
    }
  />
);
