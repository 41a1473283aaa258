//! Checking and coercing values.
//!
//! Both are one walk over the type and the value. Its recursion follows the type, so it is bounded by
//! [`MAX_NESTING`](super::MAX_NESTING) however deep the value is.

use super::convert::{converted, keeps_its_kind};
use super::keys::{Assigned, KeyValue, assign};
use super::report::{Mismatch, Notes, Path, PathStep, expected, missing, undeclared};
use super::{Field, Side, Signature, Type};
use crate::value::{Map, Value};

/// The treatment of keys that a record does not declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtraFields {
    /// They are kept as they are.
    Allowed,
    /// [`Type::check`] accepts them, [`Type::coerce`] drops them with a warning.
    Dropped,
    /// Each of them is a mismatch.
    Refused,
}

/// The result of coercing a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Coerced {
    /// A value that passes the check. Keys of declared fields are keywords with the declared spelling.
    pub value: Value,
    /// Changes that a reader should know: `limit: string "5" became int 5`.
    pub warnings: Vec<String>,
}

impl Type {
    /// All mismatches of `value` with the type: at most twenty, then one with the number of further ones.
    ///
    /// Keys match fields as keywords and strings, in kebab, snake and camel case. An integer is a valid float, as a
    /// host's `3.0` arrives as `3`. Nothing else is converted.
    pub fn check(&self, value: &Value, extra: ExtraFields) -> Vec<Mismatch> {
        let mut walk = Walk::new(extra, false);
        walk.fit(self, value);
        walk.mismatches.finish()
    }

    /// Converts a value to the type, or returns all mismatches.
    ///
    /// Without a warning, integers become floats, and floats without a fraction integers; keywords, strings and dates
    /// become names or texts; sets become lists; keys get their declared spelling. With a warning, texts are parsed as
    /// numbers and booleans, numbers and booleans are printed as texts, and undeclared fields are dropped. Nil is never
    /// converted, and a single value never becomes a list.
    pub fn coerce(&self, value: &Value, extra: ExtraFields) -> Result<Coerced, Vec<Mismatch>> {
        let mut walk = Walk::new(extra, true);
        let fitting = walk.fit(self, value);
        walk.finish(fitting.unwrap_or_else(|| value.clone()))
    }
}

impl Signature {
    /// As [`Type::check`], for a map of the parameters or a returned value.
    pub fn check(&self, value: &Value, side: Side, extra: ExtraFields) -> Vec<Mismatch> {
        let mut walk = Walk::new(extra, false);
        walk.side(self, side, value);
        walk.mismatches.finish()
    }

    /// As [`Type::coerce`], for a map of the parameters or a returned value.
    pub fn coerce(&self, value: &Value, side: Side, extra: ExtraFields) -> Result<Coerced, Vec<Mismatch>> {
        let mut walk = Walk::new(extra, true);
        let fitting = walk.side(self, side, value);
        walk.finish(fitting.unwrap_or_else(|| value.clone()))
    }
}

/// One pass over a value. Parts that need no change stay shared: a step returns the new value, or none when the value
/// stays as it is or does not fit.
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
            let warning = || path.describe(value) + " became " + &path.describe(&converted);
            self.warnings.add(path, &warning);
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
            self.path.0.push(PathStep::Index(index));
            if let Some(fitting) = self.fit(element, item) {
                changed.get_or_insert_with(|| items.to_vec())[index] = fitting;
            }
            self.path.0.pop();
        }
        changed
    }

    /// The entries of a record, or the arguments of a call.
    pub(super) fn record(&mut self, fields: &'s [Field], map: &Map) -> Option<Value> {
        let Assigned { of_fields, others } = assign(fields, map);
        let mut changed = self.coerces && self.extra == ExtraFields::Dropped && !others.is_empty();
        let mut entries: Vec<(Value, Value)> = Vec::new();
        for (field, entry) in fields.iter().zip(of_fields) {
            self.path.0.push(PathStep::Field(&field.name));
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

    fn undeclared(&mut self, fields: &[Field], others: &[KeyValue<'_>]) {
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
