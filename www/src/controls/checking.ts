import { useEffect, useMemo, useState } from "preact/hooks";
import { check, type KnownNames } from "turnfold/lisp";
import type { Problem } from "../page/problem.ts";

const CHECK_AFTER_MS = 350;

const NONE: readonly Problem[] = [];

/** The problems that are found in a program without running it. They are updated after a pause in typing. */
export function useChecked(program: string, names: KnownNames): readonly Problem[] {
  const [checked, setChecked] = useState<{ readonly program: string; readonly problems: readonly Problem[] }>({
    program: "",
    problems: NONE,
  });
  useEffect(() => {
    const timer = setTimeout(() => {
      const found = program.trim() === "" ? [] : check(program, names);
      setChecked({ program, problems: found.map(({ message, hint, span }) => problemFrom(message, hint, span)) });
    }, CHECK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [program, names]);
  return useMemo(() => (checked.program === program ? checked.problems : NONE), [program, checked]);
}

export const problemFrom = (message: string, hint: string | null, place: Problem["place"]): Problem => ({
  message: hint === null ? message : `${message} (${hint})`,
  place,
});
