/**
 * The codes of {@link TurnfoldError}. A code never changes its meaning; new ones may be added.
 *
 * The comment of each code has its meaning and, after the arrow, what to do. `docs/errors.md` is written from them.
 */
export type ErrorCode =
  // The signal ended the call → nothing, or call again; `Agent.resume` continues an exchange of a chat
  | "aborted"
  // The object is already at work, and does one thing at a time → await it, or make a second one
  | "busy"
  // `invoke` has no text to return, because tool calls wait → `details.waiting` has them; `agent.resume({ answers })` continues
  | "calls_waiting"
  // A summary could not be requested, is empty, cut off, a refusal or a repetition of its instructions → `details.problem` says which; try again, or use a strategy without summaries
  | "compression_failed"
  // A value contains itself → remove the reference; `details.path` has its place
  | "cyclic_value"
  // The object was used after `dispose` → make a new one
  | "disposed"
  // A map of a Clojure text has a key twice → remove one of them
  | "duplicate_key"
  // A fault of Turnfold → report it, with the message; objects can be made again from their saved state
  | "internal"
  // An answer names a call that does not wait, or is none that the call can get → `details` has the ids of the calls that wait; the hint says what each accepts
  | "invalid_answer"
  // An argument of a function has the wrong kind, or its value does not exist → the message names what is expected
  | "invalid_argument"
  // A saved conversation or checkpoint can't be read → pass what `toJSON` or `checkpoint` returned
  | "invalid_conversation"
  // A token counter is none, threw, or returned a promise or no number → make `count` synchronous
  | "invalid_counter"
  // A demo is not an object, or has no inputs or no outputs → the message names it
  | "invalid_demo"
  // A turn of a history has no inputs or no outputs of the signature → `details.index` and `details.reason` name it
  | "invalid_history_element"
  // The input of the type `History` is none → `new History(rows)`
  | "invalid_history_value"
  // The inputs of a typed call are not an object or a `Map` → pass the inputs by their names
  | "invalid_inputs"
  // A text is not JSON, or not the JSON that was expected → pass what was saved
  | "invalid_json"
  // A text can't be the name of a keyword → leave out white space, slashes, brackets and quotes
  | "invalid_keyword"
  // A message of a conversation or a provider can't be read → `details.path` has the place; the hint names what reads other formats
  | "invalid_message"
  // The model's object does not match its schema after all repairs → pass `schema` to the provider, or raise `maxRepairs`; `details.problems` lists the problems
  | "invalid_object"
  // An option has the wrong kind or value, or its name is unknown → `details.option` names it, the hint the accepted ones
  | "invalid_option"
  // A plan was not made by `planHistory` of this copy of the package → plan again; the result is the same
  | "invalid_plan"
  // A recording is in no known format → convert it to messages of a provider first
  | "invalid_recording"
  // The callback of a model returned anything but text → return a string, or `{ content }`; it is the `cause` of `llm_error`
  | "invalid_reply"
  // A usage sample is not two positive numbers → omit calls that reported no usage
  | "invalid_samples"
  // A schema can't be read, or can't be checked → the message names the part
  | "invalid_schema"
  // The text of a signature can't be read, or breaks a rule → `details` has the place
  | "invalid_signature"
  // A saved step can't be read → pass the JSON that `JSON.stringify(step)` wrote
  | "invalid_step"
  // A strategy is none, threw, or returned a plan that is not allowed → the message names the message or the member
  | "invalid_strategy"
  // The number of summaries is not that of the requests of the plan → pass one for each, `null` for none
  | "invalid_summaries"
  // A template can't be read → a placeholder is `{{name}}`
  | "invalid_template"
  // A tool is none of the accepted forms, or has a member that can't be honoured → `details.tool` names it, the hint the forms
  | "invalid_tool"
  // A turn can't be read or made → `details.path` has the place
  | "invalid_turn"
  // A value can't be expressed as data, such as a promise or a handle, or is too large → `details.path` has its place
  | "invalid_value"
  // The vocabulary of an exact counter is damaged → install the package again
  | "invalid_vocabulary"
  // The bytes given to `init` are not the wasm of this entry and version → pass the file of the package
  | "invalid_wasm"
  // The callback of a model failed, after all attempts → `cause` is the error of the client; set `retry`
  | "llm_error"
  // The model still called tools after `maxSteps` requests → raise `maxSteps` and `resume()`, or look at the calls in `details.messages`
  | "max_steps_exceeded"
  // The system messages and pins alone exceed `maxTokens` → raise it, or shorten them; `details` has both numbers
  | "max_tokens_below_system"
  // A server of the Model Context Protocol, or its client, failed → `cause` has its error; connect the client first
  | "mcp_error"
  // There is no model to call → pass `llm`
  | "missing_llm"
  // An input that the mission names was not given → pass it in `data`
  | "missing_placeholder"
  // `fromTimestamp` needs the times of messages → `Agent` sets `timestamp`; set it on messages of your own
  | "missing_timestamp"
  // A value is nested too deeply → flatten it
  | "nesting_too_deep"
  // A text is a program and not data → run it in `Lisp`
  | "not_a_literal"
  // A slim entry was used before `init` had finished → `await init(source)` first, or import the entry with the wasm inside
  | "not_initialized"
  // There is no unfinished exchange → check `agent.isUnfinished`; ask with `chat`
  | "nothing_to_resume"
  // The memory of the wasm is used up → keep and print less, or use `isolate`
  | "out_of_memory"
  // There is no turn, message or item with this number → the message has the range
  | "out_of_range"
  // The reply of a typed call can't be used, after all repairs → raise `maxRepairs`, describe the field, or use `adapter: "json"`; `details` has the reply and the problems
  | "output_parse_failed"
  // The text is not Clojure → `details` has the line and the column
  | "parse_error"
  // The pinned messages exceed a limit → raise it, or pin less
  | "pins_over_limit"
  // A program failed, in a tool that runs programs; the message is what the model reads → nothing: the model writes another
  | "program_failed"
  // A program that waited is not in the store of its tool → give `programTool` a store that all processes share
  | "program_lost"
  // A value of Turnfold was written to → copy it first: `new Map(value)`
  | "read_only"
  // `onRecord` threw, or its promise was rejected: nothing more was done, because it would be unknown after a crash → continue from the records that were stored
  | "record_failed"
  // A replayed run is the same, but its model would read other texts, as after an update of this package → `details.step` is the run with the new texts
  | "rendering_changed"
  // A replayed agent would act differently → `details.turn` is the first turn; replay with the agent that made the step, or `fork` from that turn
  | "replay_diverged"
  // System and pinned messages, the question and the last round of calls exceed a limit → raise it, ask less at once, or set `onOverflow`
  | "request_over_budget"
  // A tool of an MCP server reported an error → the message is that of the tool
  | "tool_error"
  // The mission names what is no input of the signature → the hint lists the inputs
  | "unknown_placeholder"
  // There is no strategy for turns with this name → the hint lists them
  | "unknown_strategy"
  // The data was saved by a newer version → read it with that version
  | "unknown_version"
  // A provider has no form for a part of a message, such as audio → the message names the part; convert it before
  | "unsupported_part"
  // A signed state was changed, is signed with another key, or is too old → `details.problem` says which; take the state from where it is trusted
  | "untrusted_state"
  // A template has no place for a value → name it in the template, or leave it out
  | "unused_value"
  // Values do not match a signature or a schema → `details.problems` has the paths and the expected types
  | "validation_error"
  // The vocabulary of an exact counter could not be loaded → in a page, serve it from the folder of the bundle; or use `estimate`
  | "vocabulary_unavailable"
  // The host forbids WebAssembly, or has none → allow `wasm-unsafe-eval` in the page's Content-Security-Policy
  | "wasm_blocked"
  // The wasm could not be loaded → the message has the address; `details.url` too
  | "wasm_unavailable";
