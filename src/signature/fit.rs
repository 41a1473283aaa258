//! Values against types: what does not fit, and what can be made to fit.
//!
//! The walk follows the type, so it goes no deeper than a signature is nested, however deep the
//! value is.

use super::convert::{converted, keeps_its_kind};
use super::keys::{Assigned, Entry, assign};
use super::report::{Mismatch, Notes, Path, Step, expected, missing, undeclared};
use super::{Field, Side, Signature, Type};
use crate::value::{Map, Value};

/// What becomes of keys that a record does not declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtraFields {
    /// They are kept as they are.
    Allowed,
    /// [`Type::check`] accepts them, [`Type::coerce`] leaves them out with a warning.
    Dropped,
    /// Each of them is a mismatch.
    Refused,
}

/// A value that was made to fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Coerced {
    /// The value; its type has nothing against it. Declared fields are keywords spelled as declared.
    pub value: Value,
    /// What was changed that a reader should know: `limit: string "5" became int 5`.
    pub warnings: Vec<String>,
}

impl Type {
    /// What of `value` is not as the type says; at most twenty places, then how many more.
    ///
    /// Keys are matched to fields whether they are keywords or strings, in kebab, snake or camel case. An
    /// integer is a float, as a host's `3.0` arrives as `3`. Nothing else stands for something else.
    pub fn check(&self, value: &Value, extra: ExtraFields) -> Vec<Mismatch> {
        let mut walk = Walk::new(extra, false);
        walk.fit(self, value);
        walk.mismatches.finish()
    }

    /// The value made to fit, or everything that can't be.
    ///
    /// Without a word: integers become floats and floats without a fraction integers; keywords, strings and
    /// dates stand for one another where a name or text is wanted; sets become lists; keys get their declared
    /// spelling. With a warning: texts are read as numbers and booleans, numbers and booleans are written as
    /// texts, undeclared fields are left out. Nothing is made of nil, and no list of a single value.
    pub fn coerce(&self, value: &Value, extra: ExtraFields) -> Result<Coerced, Vec<Mismatch>> {
        let mut walk = Walk::new(extra, true);
        let fitting = walk.fit(self, value);
        walk.finish(fitting.unwrap_or_else(|| value.clone()))
    }
}

impl Signature {
    /// As [`Type::check`]: a map of the parameters, or what is returned.
    pub fn check(&self, value: &Value, side: Side, extra: ExtraFields) -> Vec<Mismatch> {
        let mut walk = Walk::new(extra, false);
        walk.side(self, side, value);
        walk.mismatches.finish()
    }

    /// As [`Type::coerce`]: a map of the parameters, or what is returned.
    pub fn coerce(&self, value: &Value, side: Side, extra: ExtraFields) -> Result<Coerced, Vec<Mismatch>> {
        let mut walk = Walk::new(extra, true);
        let fitting = walk.side(self, side, value);
        walk.finish(fitting.unwrap_or_else(|| value.clone()))
    }
}

/// One pass over a value. What fits as it is stays shared with it: a step returns what its value
/// became, or nothing when it stays, and when a mismatch leaves nothing to make of it.
pub(super) struct Walk<'s> {
    extra: ExtraFields,
    coerces: bool,
    /// Whether hidden fields of the outermost record may be missing.
    pub(super) excuses_hidden: bool,
    path: Path<'s>,
    pub(super) mismatches: Notes,
    pub(super) warnings: Notes,
}

impl<'s> Walk<'s> {
    pub(super) fn new(extra: ExtraFields, coerces: bool) -> Self {
        let (mismatches, warnings) = Default::default();
        Walk { extra, coerces, excuses_hidden: false, path: Path::default(), mismatches, warnings }
    }

    pub(super) fn finish(self, value: Value) -> Result<Coerced, Vec<Mismatch>> {
        if !self.mismatches.is_empty() {
            return Err(self.mismatches.finish());
        }
        let warnings = self.warnings.finish().iter().map(Mismatch::to_string).collect();
        Ok(Coerced { value, warnings })
    }

    fn side(&mut self, signature: &'s Signature, side: Side, value: &Value) -> Option<Value> {
        match (side, value) {
            (Side::Output, _) => self.fit(&signature.returns, value),
            (Side::Input, Value::Map(map)) => self.record(&signature.parameters, map),
            (Side::Input, _) => self.wrong(&Type::Map, value),
        }
    }

    fn fit(&mut self, ty: &'s Type, value: &Value) -> Option<Value> {
        match (ty, value) {
            (Type::Optional(_), Value::Nil) => None,
            (Type::Optional(inner), _) => self.fit(inner, value),
            (Type::List(element), Value::Vector(items)) => self.list(element, items.as_slice()).map(Value::vector),
            (Type::List(element), Value::Set(items)) if self.coerces => {
                let items: Vec<Value> = items.iter().cloned().collect();
                Some(Value::vector(self.list(element, &items).unwrap_or(items)))
            }
            (Type::Record(fields), Value::Map(map)) => self.record(fields, map),
            _ if self.accepts(ty, value) => None,
            _ if self.coerces => self.convert(ty, value),
            _ => self.wrong(ty, value),
        }
    }

    fn accepts(&self, ty: &Type, value: &Value) -> bool {
        match (ty, value) {
            (Type::Any | Type::History, _)
            | (Type::String, Value::Str(_))
            | (Type::Int, Value::Int(_) | Value::BigInt(_))
            | (Type::Float, Value::Float(_))
            | (Type::Bool, Value::Bool(_))
            | (Type::Keyword, Value::Keyword(_))
            | (Type::Map, Value::Map(_)) => true,
            (Type::Float, Value::Int(_) | Value::BigInt(_)) => !self.coerces,
            (Type::OneOf(options), _) => options.contains(value),
            _ => false,
        }
    }

    fn convert(&mut self, ty: &Type, value: &Value) -> Option<Value> {
        let Some(converted) = converted(ty, value) else { return self.wrong(ty, value) };
        if !keeps_its_kind(ty, value, &converted) {
            let path = &self.path;
            let told = || path.describe(value) + " became " + &path.describe(&converted);
            self.warnings.add(path, &told);
        }
        Some(converted)
    }

    fn wrong(&mut self, ty: &Type, got: &Value) -> Option<Value> {
        let path = &self.path;
        self.mismatches.add(path, &|| expected(ty) + ", got " + &path.describe(got));
        None
    }

    fn list(&mut self, element: &'s Type, items: &[Value]) -> Option<Vec<Value>> {
        let mut changed: Option<Vec<Value>> = None;
        for (index, item) in items.iter().enumerate() {
            self.path.0.push(Step::Index(index));
            if let Some(fitting) = self.fit(element, item) {
                changed.get_or_insert_with(|| items.to_vec())[index] = fitting;
            }
            self.path.0.pop();
        }
        changed
    }

    /// The entries of a record or, of a call, its arguments.
    pub(super) fn record(&mut self, fields: &'s [Field], map: &Map) -> Option<Value> {
        let Assigned { of_fields, others } = assign(fields, map);
        let mut changed = self.coerces && self.extra == ExtraFields::Dropped && !others.is_empty();
        let mut entries: Vec<(Value, Value)> = Vec::new();
        for (field, entry) in fields.iter().zip(of_fields) {
            self.path.0.push(Step::Field(&field.name));
            match (entry, &field.default) {
                (None | Some((_, Value::Nil)), Some(default)) if self.coerces => {
                    changed = true;
                    entries.push((Value::keyword(&field.name), default.clone()));
                }
                (Some((key, value)), _) => {
                    let fitting =
                        if field.optional && *value == Value::Nil { None } else { self.fit(&field.ty, value) };
                    if self.coerces {
                        let is_spelled = matches!(key, Value::Keyword(name) if **name == *field.name);
                        changed |= fitting.is_some() || !is_spelled;
                        let key = if is_spelled { key.clone() } else { Value::keyword(&field.name) };
                        entries.push((key, fitting.unwrap_or_else(|| value.clone())));
                    }
                }
                (None, _) if field.optional => {}
                (None, _) if self.excuses_hidden && field.hidden() && self.path.0.len() == 1 => {}
                (None, _) => {
                    let names = others.iter().filter_map(|(key, _)| key.key_name());
                    self.mismatches.add(&self.path, &|| missing(&field.name, &field.ty, names.clone()));
                }
            }
            self.path.0.pop();
        }
        self.undeclared(fields, &others);
        if !changed {
            return None;
        }
        if self.extra == ExtraFields::Allowed {
            entries.extend(others.iter().map(|(key, value)| ((*key).clone(), (*value).clone())));
        }
        Some(Value::map(entries))
    }

    fn undeclared(&mut self, fields: &[Field], others: &[Entry<'_>]) {
        let notes = match self.extra {
            ExtraFields::Allowed => return,
            ExtraFields::Dropped => &mut self.warnings,
            ExtraFields::Refused => &mut self.mismatches,
        };
        let names = fields.iter().filter(|field| !field.hidden()).map(|field| &*field.name);
        for (key, _) in others {
            notes.add(&self.path, &|| undeclared(key, names.clone()));
        }
    }
}

#[cfg(test)]
mod tests;
