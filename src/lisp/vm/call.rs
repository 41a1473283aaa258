//! Finding what is called, and entering it.

use std::rc::Rc;

use super::execute::Exit;
use super::fiber::{Callee, CodeFrame, Fiber};
use super::window::put;
use super::{Pending, Run, Vm};
use crate::lisp::builtins;
use crate::lisp::chunk::Function;
use crate::lisp::compiler::{Surroundings, compile_closure};
use crate::lisp::fault::{Fault, Outcome, describe, error, error_with_hint, refuse};
use crate::lisp::globals::Global;
use crate::lisp::native::CallRecord;
use crate::lisp::unknown;
use crate::value::{Closure, Names, Str, Value, Vector, taken};

/// How many sources the code is kept of.
const MOST_COMPILED: usize = 256;

/// Code, and the machine that it was compiled for.
pub(super) struct Linked {
    pub home: Rc<()>,
    pub function: Rc<Function>,
}

impl Vm {
    /// The function of a definition, when it is a closure that can run.
    pub(super) fn function_of(&mut self, value: &Value) -> Option<Rc<Function>> {
        match value {
            Value::Closure(closure) => self.link(closure).ok(),
            _ => None,
        }
    }

    /// The code of a closure; one that comes from elsewhere is compiled again.
    pub(super) fn link(&mut self, closure: &Rc<Closure>) -> Outcome<Rc<Function>> {
        if let Some(linked) = closure.compiled.get::<Linked>()
            && Rc::ptr_eq(&linked.home, &self.home)
        {
            return Ok(linked.function.clone());
        }
        let Some(source) = &closure.source else {
            let message = format!("`#fn[{}]` can't be called: its source is not known", closure.params);
            return error_with_hint(
                "not_callable",
                message,
                "it was given by the host to be shown; define a function with `defn`",
            );
        };
        let names = closure.captured.0.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let compiled = match self.compiled.get(source) {
            Some(function) => Ok(function.clone()),
            None => compile_closure(source, &names, Surroundings { globals: &mut self.globals, program: 0 }),
        };
        match compiled {
            Ok(function) if function.captures.iter().map(|(name, _)| name).eq(&names) => {
                if self.compiled.len() >= MOST_COMPILED {
                    self.compiled = Names::default();
                }
                if !self.compiled.contains(source) {
                    self.compiled.insert(source.clone(), function.clone());
                }
                closure.compiled.set(Rc::new(Linked { home: self.home.clone(), function: function.clone() }));
                Ok(function)
            }
            Ok(_) => error(
                "not_callable",
                format!("`#fn[{}]` can't be called: its captured values are not those of its source", closure.params),
            ),
            Err(problems) => {
                let reason = problems.first().map(ToString::to_string).unwrap_or_default();
                error("not_callable", format!("the source of `#fn[{}]` can't be compiled: {reason}", closure.params))
            }
        }
    }

    /// What calling a value means.
    pub(super) fn callee(&mut self, run: &Run, fiber: &Fiber, value: Value) -> Outcome<Callee> {
        match value {
            Value::Closure(closure) => Ok(Callee::Function(self.link(&closure)?, closure)),
            Value::Builtin(name) => match name.strip_prefix("tool/") {
                Some(tool) => Ok(Callee::Tool(tool.into())),
                None => match builtins::find(&name) {
                    Some(builtin) => Ok(Callee::Builtin(builtin)),
                    None => error("not_callable", format!("there is no function `{name}`")),
                },
            },
            Value::Keyword(_) | Value::Map(_) | Value::Set(_) | Value::Vector(_) => Ok(Callee::Lookup(value)),
            Value::Var(name) => {
                let place = self.globals.place(&name);
                let value = self.global_value(run, fiber, place)?;
                match value {
                    Value::Var(_) => not_callable(&value),
                    value => self.callee(run, fiber, value),
                }
            }
            value => not_callable(&value),
        }
    }

    pub(super) fn check_depth(&self, run: &Run, fiber: &Fiber) -> Outcome<()> {
        if fiber.depth + fiber.frames.len() >= run.meter.limits.depth {
            return too_deep(run.meter.limits.depth);
        }
        Ok(())
    }

    /// Calls a tool: the fiber waits for the answer.
    pub(super) fn call_tool(
        &mut self,
        run: &mut Run,
        fiber: &mut Fiber,
        name: &str,
        args: Vec<Value>,
    ) -> Outcome<Exit> {
        let Some((name, ())) = self.tools.get_entry(name) else {
            return refuse(unknown::no_tool(name, self.tools.iter().map(|(name, ())| &**name)));
        };
        if run.tool_calls >= run.meter.limits.tool_calls {
            let message = format!("the program called tools more than {} times", run.meter.limits.tool_calls);
            return error_with_hint(
                "tool_call_limit_exceeded",
                message,
                "ask for several things in one call, or go on in the next turn",
            );
        }
        for value in &args {
            if let Some(problem) = super::extent::problem(value, "an argument of the tool", run.meter.limits.heap_bytes)
            {
                return refuse(problem);
            }
        }
        let id = run.tool_calls;
        run.tool_calls += 1;
        let record =
            CallRecord { id, name: name.clone(), args: Value::Nil, result: None, error: None, duration_ms: None };
        fiber.effects.calls.push(record);
        Ok(Exit::Wait(Pending { id, tool: name.clone(), args }, fiber.effects.calls.len() - 1))
    }

    /// The definition at a place, as a fiber sees it: its own, those of the fibers around it, and
    /// those from before.
    pub(super) fn find_global<'a>(&'a self, run: &'a Run, fiber: &'a Fiber, place: usize) -> Option<&'a Global> {
        let mut fiber = fiber;
        loop {
            if let Some((_, global)) = fiber.effects.definitions.iter().rev().find(|(found, _)| *found == place) {
                return Some(global);
            }
            match fiber.parent.and_then(|(parent, _)| run.fibers[parent].as_ref()) {
                Some(parent) => fiber = parent,
                None => return Some(self.globals.get(place)).filter(|global| global.value.is_some()),
            }
        }
    }

    /// What a name that is no local one means: a definition, else a builtin, else a tool or data
    /// (NS-001…007).
    pub(super) fn global_value(&self, run: &Run, fiber: &Fiber, place: usize) -> Outcome {
        if let Some(Global { value: Some(value), .. }) = self.find_global(run, fiber, place) {
            return Ok(value.clone());
        }
        let name = self.globals.name(place);
        if let Some(value) = builtins::constant(name) {
            return Ok(value);
        }
        match (self.tools.contains(name), self.find_data(name)) {
            (true, Some(_)) => {
                let message = format!("`{name}` is both `tool/{name}` and `data/{name}`");
                error_with_hint("ambiguous_reference", message, format!("write `tool/{name}` or `data/{name}`"))
            }
            (true, None) => Ok(Value::Builtin(format!("tool/{name}").into())),
            (false, Some(value)) => Ok(value.clone()),
            (false, None) => self.unbound(name),
        }
    }

    /// `data/name`: names with `-` and `_` are alike, the exact one first.
    fn find_data(&self, name: &str) -> Option<&Value> {
        self.data
            .get(name)
            .or_else(|| self.data.iter().find(|(found, _)| unknown::are_alike(found, name)).map(|(_, value)| value))
    }

    pub(super) fn data_value(&self, name: &str) -> Outcome {
        Ok(self.find_data(name).cloned().unwrap_or_default())
    }

    #[cold]
    fn unbound<T>(&self, name: &str) -> Outcome<T> {
        let definitions = self.globals.definitions().map(|(name, _)| (&**name, ""));
        let tools = self.tools.iter().map(|(name, _)| (&**name, "tool/"));
        let data = self.data.iter().map(|(name, _)| (&**name, "data/"));
        refuse(unknown::undefined(name, definitions.chain(tools).chain(data)))
    }

    /// Defines a name, for the program or for its branch.
    pub(super) fn define_in(
        &mut self,
        run: &mut Run,
        fiber: &mut Fiber,
        place: usize,
        value: Value,
        doc: Option<&str>,
    ) {
        let value = match (value, doc) {
            (Value::Closure(closure), Some(doc)) => {
                Value::Closure(Rc::new(Closure { doc: Some(doc.into()), ..(*closure).clone() }))
            }
            (value, _) => value,
        };
        // What a name means is decided when code is made.
        self.compiled = Names::default();
        let function = self.function_of(&value);
        let global = Global { value: Some(value), function };
        let name = self.globals.name(place).clone();
        fiber.effects.defined.push((name, doc.map(Str::from)));
        match fiber.parent {
            Some(_) => fiber.effects.definitions.push((place, global)),
            None => {
                let before = self.globals.set(place, global);
                run.undo.push((place, before));
            }
        }
    }
}

/// The frame of a function that is called with arguments that stand in registers, inside so many
/// others.
#[inline]
pub(super) fn enter(
    registers: &mut Vec<Value>,
    function: &Function,
    closure: &Rc<Closure>,
    first: usize,
    count: usize,
) -> Outcome<CodeFrame> {
    let arity = match function.arities.as_slice() {
        [only] if only.required == count && !only.variadic => only,
        arities => {
            let exact = arities.iter().find(|arity| !arity.variadic && arity.required == count);
            match exact.or_else(|| arities.iter().find(|arity| arity.variadic && arity.required <= count)) {
                Some(arity) => arity,
                None => return wrong_count(function, count),
            }
        }
    };
    let code = arity.code.clone();
    if registers.len() < first + code.registers {
        registers.resize(first + code.registers, Value::Nil);
    }
    let mut params = count;
    if arity.variadic {
        params = arity.required + 1;
        let rest = first + arity.required..first + count;
        let rest = Vector::from(taken(registers.get_mut(rest).unwrap_or_default()));
        registers[first + arity.required] = if rest.is_empty() { Value::Nil } else { Value::Vector(rest) };
    }
    // The counter of `recur` stands behind the parameters.
    put(&mut registers.as_mut_slice()[first + params], Value::Nil);
    let closure = if function.needs_closure { Some(closure.clone()) } else { None };
    Ok(CodeFrame { code, closure, at: 0, base: first, dst: 0 })
}

#[cold]
fn not_callable<T>(value: &Value) -> Outcome<T> {
    let hint = match value {
        Value::Nil => "a key or definition may be missing; the first thing in a list is called",
        Value::Str(_) => "look a string key up with `(get m \"key\")`",
        _ => "the first thing in a list is called; write data as a vector `[1 2 3]`",
    };
    error_with_hint("not_callable", format!("{} is not a function, so it can't be called", describe(value)), hint)
}

#[cold]
fn wrong_count<T>(function: &Function, count: usize) -> Outcome<T> {
    let counts = function.arities.iter().map(|arity| match arity.variadic {
        true => format!("at least {}", arity.required),
        false => arity.required.to_string(),
    });
    let name = function.name.as_deref().map(|name| format!(" `{name}`")).unwrap_or_default();
    let message = format!(
        "the function{name} with the parameters `[{}]` takes {} arguments, got {count}",
        function.params,
        counts.collect::<Vec<_>>().join(" or ")
    );
    error("arity_error", message)
}

#[cold]
pub(super) fn too_deep<T>(limit: usize) -> Outcome<T> {
    let hint = "check that the recursion ends; go over collections with `map` or `reduce`, or use `loop` and `recur`";
    error_with_hint("depth_exceeded", format!("calls are nested deeper than {limit}"), hint)
}

/// How the message of a fault in a branch begins.
const BRANCH: &str = "in branch ";

impl Fault {
    /// The same fault, as it happened in a branch.
    pub(super) fn in_branch(self, name: &str, branch: usize) -> Fault {
        match self {
            Fault::Error(mut problem) => {
                let message = &problem.message;
                let inner = match message.split_once(": ") {
                    // Of branches in branches, the outermost one is named and the innermost four.
                    Some((_, rest)) if rest.starts_with("… in branch ") => rest,
                    Some(_) if message.starts_with(BRANCH) && message.matches(BRANCH).count() > 3 => {
                        &format!("… {message}")
                    }
                    _ => message,
                };
                problem.message = format!("{BRANCH}{branch} of `{name}`: {inner}");
                Fault::Error(problem)
            }
            signal => signal,
        }
    }
}
