//! Reads structs from plain objects of JavaScript, by their serde derives.
//!
//! `serde_wasm_bindgen` reads objects too, but it ignores names that a struct does not have, takes null for an absent
//! member, and does not report the path of a wrong value. [`JsReader`] refuses unknown names and lists the known ones,
//! and a [`Problem`] has the path.
//!
//! JavaScript passes copies (`js/boundary/options.ts`), so that reading runs no code of the host. A value that is not
//! plain data, a function or an instance of a class, is passed as a symbol whose description says what the value is.

use std::cell::RefCell;
use std::fmt::{self, Display};

use js_sys::{Array, JsString, Number, Object, Reflect, Symbol};
use serde::de::value::{StrDeserializer, StringDeserializer};
use serde::de::{self, DeserializeOwned, DeserializeSeed, Error, Expected, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use wasm_bindgen::prelude::*;

use crate::text::join;
use crate::value::write_json_string;

/// Reads a value that JavaScript passed. `name` is its name in errors, such as `options`; with an empty name, errors
/// call members by their own names alone.
pub(super) fn read<T: DeserializeOwned>(value: &JsValue, name: &str) -> Result<T, Problem> {
    T::deserialize(JsReader::of(value.clone())).map_err(|problem| problem.within(name))
}

/// What is wrong with a value that JavaScript passed. Boxed: results that carry it are moved once for each member.
#[derive(Debug)]
pub(super) struct Problem(Box<(String, ProblemKind)>);

/// The ways in which a value can be wrong.
#[derive(Debug)]
pub(super) enum ProblemKind {
    /// It is not what was expected.
    Expected { expected: String, got: Option<String> },
    /// It has an unknown member.
    UnknownMember { known: Vec<String> },
    /// A member is missing.
    Missing,
}

impl Problem {
    fn expected(expected: impl Display, value: &JsValue) -> Problem {
        Problem::custom(expected).got(value)
    }

    fn new(path: &str, kind: ProblemKind) -> Problem {
        Problem(Box::new((path.to_owned(), kind)))
    }

    /// A member that is none of the known ones.
    pub fn unknown(name: &str, known: Vec<String>) -> Problem {
        Problem::new(name, ProblemKind::UnknownMember { known })
    }

    /// The path, such as `tools[2].name`; empty for the value as a whole.
    pub fn path(&self) -> &str {
        &self.0.0
    }

    pub fn into_parts(self) -> (String, ProblemKind) {
        *self.0
    }

    /// The same problem at another path.
    pub fn at(mut self, path: String) -> Problem {
        self.0.0 = path;
        self
    }

    /// The problem of a member or an item as a problem of its holder.
    pub fn within(self, holder: &str) -> Problem {
        let path = self.path();
        let dot = if holder.is_empty() || path.is_empty() || path.starts_with('[') { "" } else { "." };
        let path = join([holder, dot, path], "");
        self.at(path)
    }

    pub fn is_missing(&self, member: &str) -> bool {
        matches!(self.0.1, ProblemKind::Missing) && self.path() == member
    }

    /// Adds the value to a problem that has none. Types with rules of their own report what they expect, and not what
    /// they got.
    fn got(mut self, value: &JsValue) -> Problem {
        if let ProblemKind::Expected { got: got @ None, .. } = &mut self.0.1 {
            *got = Some(described(value));
        }
        self
    }
}

impl de::Error for Problem {
    fn custom<T: Display>(expected: T) -> Problem {
        Problem::new("", ProblemKind::Expected { expected: expected.to_string(), got: None })
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn Expected) -> Problem {
        Problem::custom(expected)
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn Expected) -> Problem {
        Problem::custom(expected)
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Problem {
        Problem::custom(expected)
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Problem {
        Problem::custom(format!("one of {}", join(known, ", ")))
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Problem {
        Problem::unknown(name, known.iter().copied().map(str::to_owned).collect())
    }

    fn missing_field(name: &'static str) -> Problem {
        Problem::new(name, ProblemKind::Missing)
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path())
    }
}

impl std::error::Error for Problem {}

/// A value as an error message shows it.
fn described(value: &JsValue) -> String {
    if let Some(text) = value.as_string() {
        if text.chars().count() > 40 {
            return "a text".to_owned();
        }
        let mut quoted = String::new();
        write_json_string(&text, &mut quoted);
        return quoted;
    }
    if let Some(number) = value.dyn_ref::<Number>() {
        return number.to_string_with_radix(10).map(String::from).unwrap_or_default();
    }
    if let Some(symbol) = value.dyn_ref::<Symbol>() {
        return symbol.description().map_or_else(|| "a symbol".to_owned(), String::from);
    }
    match value.as_bool() {
        Some(flag) => flag.to_string(),
        None if value.is_null() => "null".to_owned(),
        None if value.is_undefined() => "undefined".to_owned(),
        None if Array::is_array(value) => "an array".to_owned(),
        None if value.is_object() => "an object".to_owned(),
        None => format!("a {}", value.js_typeof().as_string().unwrap_or_default()),
    }
}

/// A member with this name is a struct whose members are members of the object itself. (With serde's `flatten`, the
/// names of all members would not be known.) It is the first member of its struct.
pub(super) const FLAT: &str = "...";

/// Reads one value of JavaScript.
struct JsReader<'k> {
    value: JsValue,
    /// For a flat struct: the known names of the object, to which those of its members are added.
    known: Option<&'k RefCell<Vec<&'static str>>>,
}

impl JsReader<'_> {
    fn of(value: JsValue) -> Self {
        JsReader { value, known: None }
    }

    #[inline(never)]
    fn flag(&self) -> Result<bool, Problem> {
        self.value.as_bool().ok_or_else(|| Problem::expected("true or false", &self.value))
    }

    #[inline(never)]
    fn text(&self) -> Result<String, Problem> {
        self.value.as_string().ok_or_else(|| Problem::expected("a text", &self.value))
    }
}

impl<'de> de::Deserializer<'de> for JsReader<'_> {
    type Error = Problem;

    /// For types that accept several kinds of values: a boolean, a number, a text, null, a list or an object.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let value = self.value;
        let found = match (value.as_bool(), value.as_f64(), value.as_string()) {
            (Some(flag), ..) => visitor.visit_bool(flag),
            (_, Some(number), _) => visitor.visit_f64(number),
            (.., Some(text)) => visitor.visit_string(text),
            _ if value.is_null() => visitor.visit_unit(),
            _ if Array::is_array(&value) => return JsReader::of(value).deserialize_seq(visitor),
            _ if value.is_object() => JsReader::of(value.clone()).deserialize_map(visitor),
            _ => Err(Problem::expected(&visitor as &dyn Expected, &value)),
        };
        found.map_err(|problem: Problem| problem.got(&value))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_bool(self.flag()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_string(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        self.deserialize_str(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.value.as_f64() {
            Some(number) => visitor.visit_f64(number).map_err(|problem: Problem| problem.got(&self.value)),
            None => Err(Problem::expected(&visitor as &dyn Expected, &self.value)),
        }
    }

    /// Undefined means absent. Null is a value, which only some types accept.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        if self.value.is_undefined() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_newtype_struct(self)
    }

    /// An absent list is empty.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_seq(ListItems::of(&self.value)?).map_err(|problem| problem.got(&self.value))
    }

    /// Reads members whose names are not known in advance.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let keys = keys(&self.value)?;
        visitor.visit_map(MapMembers { object: &self.value, keys: keys.into_iter(), value: None })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        // Members are read in the order of the struct: reading by position takes a third of the code of reading by
        // name.
        let mut fields = StructMembers::new(self, known);
        match visitor.visit_seq(&mut fields) {
            Ok(read) => fields.check_names().map(|()| read),
            Err(problem) => Err(fields.refused(problem)),
        }
    }

    /// Reads the name of a variant. Variants with data are never passed.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        match self.value.as_string() {
            Some(name) if known.contains(&name.as_str()) => {
                let name: StringDeserializer<Problem> = name.into_deserializer();
                visitor.visit_enum(name)
            }
            _ => Err(Problem::expected(format_args!("one of {}", join(known, ", ")), &self.value)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char bytes byte_buf unit unit_struct tuple tuple_struct identifier
    }
}

/// The names of the members of a plain object.
fn keys(value: &JsValue) -> Result<Vec<String>, Problem> {
    match value.dyn_ref::<Object>() {
        Some(object) if !Array::is_array(value) => {
            Ok(Object::keys(object).iter().filter_map(|name| name.as_string()).collect())
        }
        _ => Err(Problem::expected("an object", value)),
    }
}

/// A member of a plain object, whose members are not getters.
fn member(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &JsString::from(name)).unwrap_or(JsValue::UNDEFINED)
}

struct MapMembers<'a> {
    object: &'a JsValue,
    keys: std::vec::IntoIter<String>,
    /// The name whose value is read next.
    value: Option<String>,
}

impl<'de> de::MapAccess<'de> for MapMembers<'_> {
    type Error = Problem;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Problem> {
        self.value = self.keys.next();
        let Some(name) = &self.value else { return Ok(None) };
        let name: StrDeserializer<'_, Problem> = name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Problem> {
        let name = self.value.take().unwrap_or_default();
        let value = member(self.object, &name);
        seed.deserialize(JsReader::of(value)).map_err(|problem| problem.within(&name))
    }
}

/// The members of a struct, in its order; absent ones are undefined. Code that does not depend on the type of a member
/// is in functions that are never inlined, because each type has a copy of the rest.
struct StructMembers<'k> {
    reader: JsReader<'k>,
    /// The names that are not read yet.
    names: std::slice::Iter<'static, &'static str>,
    /// The names that the object may have, with those of its flat struct.
    known: RefCell<Vec<&'static str>>,
    name: &'static str,
    is_absent: bool,
    /// The member that was read last, when it is absent and its type does not allow that. Serde then takes the
    /// member's default, or refuses the struct.
    missing: Option<&'static str>,
}

impl<'k> StructMembers<'k> {
    #[inline(never)]
    fn new(reader: JsReader<'k>, names: &'static [&'static str]) -> Self {
        let known = names.iter().copied().filter(|name| *name != FLAT).collect();
        if let Some(all) = reader.known {
            all.borrow_mut().extend(&known);
        }
        let known = RefCell::new(known);
        StructMembers { reader, names: names.iter(), known, name: "", is_absent: false, missing: None }
    }

    #[inline(never)]
    fn next(&mut self) -> Option<JsReader<'_>> {
        self.missing = None;
        self.name = self.names.next()?;
        let object = &self.reader.value;
        if self.name == FLAT {
            return Some(JsReader { value: object.clone(), known: Some(&self.known) });
        }
        let value = member(object, self.name);
        self.is_absent = value.is_undefined();
        Some(JsReader::of(value))
    }

    /// Handles a problem with the member that was read last.
    #[inline(never)]
    fn failed(&mut self, problem: Problem) -> Result<(), Problem> {
        if self.name == FLAT {
            return Err(problem);
        }
        if self.is_absent {
            self.missing = Some(self.name);
            return Ok(());
        }
        Err(problem.within(self.name))
    }

    /// Refuses members that the struct does not have.
    #[inline(never)]
    fn check_names(&self) -> Result<(), Problem> {
        if self.reader.known.is_some() {
            return Ok(());
        }
        let known = self.known.borrow();
        match keys(&self.reader.value)?.iter().find(|name| !known.contains(&name.as_str())) {
            Some(unknown) => Err(Problem::unknown(unknown, known.iter().map(|name| (*name).to_owned()).collect())),
            None => Ok(()),
        }
    }

    /// The problem of the struct after a problem with a member. Unknown members take precedence.
    #[inline(never)]
    fn refused(&self, problem: Problem) -> Problem {
        match self.check_names() {
            Err(unknown) => unknown,
            Ok(()) => self.missing.map_or(problem, Problem::missing_field),
        }
    }
}

impl<'de> de::SeqAccess<'de> for &mut StructMembers<'_> {
    type Error = Problem;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Problem> {
        let Some(reader) = self.next() else { return Ok(None) };
        match seed.deserialize(reader) {
            Ok(value) => Ok(Some(value)),
            Err(problem) => self.failed(problem).map(|()| None),
        }
    }
}

struct ListItems {
    items: Array,
    index: u32,
}

impl ListItems {
    #[inline(never)]
    fn of(value: &JsValue) -> Result<ListItems, Problem> {
        let items = match value.dyn_ref::<Array>() {
            Some(items) => items.clone(),
            None if value.is_undefined() => Array::new(),
            None => return Err(Problem::expected("a list", value)),
        };
        Ok(ListItems { items, index: 0 })
    }

    #[inline(never)]
    fn next(&mut self) -> Option<JsReader<'static>> {
        let index = self.index;
        self.index += 1;
        (index < self.items.length()).then(|| JsReader::of(self.items.get(index)))
    }

    /// The problem of the item that was read last.
    #[inline(never)]
    fn failed(&self, problem: Problem) -> Problem {
        problem.within(&format!("[{}]", self.index - 1))
    }
}

impl<'de> de::SeqAccess<'de> for ListItems {
    type Error = Problem;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Problem> {
        let Some(item) = self.next() else { return Ok(None) };
        seed.deserialize(item).map(Some).map_err(|problem| self.failed(problem))
    }
}
