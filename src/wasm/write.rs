//! Writes structs for JavaScript, by their serde derives: as objects, or as JSON text when a list grows with a history.

use std::fmt;

use serde::Serialize;
use serde::ser::{self, Impossible};
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use crate::value::write_json_string;

/// A plain object, as JSON has it: absent members are null.
pub(super) fn to_object<T: Serialize + ?Sized>(value: &T) -> JsValue {
    match value.serialize(&Serializer::json_compatible()) {
        Ok(object) => object,
        // The value has a number that JavaScript can't represent.
        Err(error) => wasm_bindgen::throw_val(error.into()),
    }
}

/// JSON text. JavaScript reads it faster than it receives many objects.
///
/// # Panics
///
/// When `value` holds what [`JsonWriter`] can't write, maps for instance.
pub(super) fn to_json<T: Serialize + ?Sized>(value: &T) -> String {
    let mut text = String::new();
    if value.serialize(JsonWriter(&mut text)).is_err() {
        panic!("the boundary has no JSON for a type of its own");
    }
    text
}

/// A message to a model.
#[derive(Serialize)]
pub(super) struct MessageRecord<'a> {
    pub role: &'static str,
    pub content: &'a str,
}

/// Writes JSON text of lists, structs, texts and numbers; a number that JSON lacks is null.
struct JsonWriter<'a>(&'a mut String);

type Written = Result<(), fmt::Error>;

impl<'a> ser::Serializer for JsonWriter<'a> {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Elements<'a>;
    type SerializeStruct = Elements<'a>;
    type SerializeTuple = Impossible<(), fmt::Error>;
    type SerializeTupleStruct = Impossible<(), fmt::Error>;
    type SerializeTupleVariant = Impossible<(), fmt::Error>;
    type SerializeMap = Impossible<(), fmt::Error>;
    type SerializeStructVariant = Impossible<(), fmt::Error>;

    fn serialize_bool(self, flag: bool) -> Written {
        self.0.push_str(if flag { "true" } else { "false" });
        Ok(())
    }

    fn serialize_i8(self, number: i8) -> Written {
        self.serialize_i64(number.into())
    }

    fn serialize_i16(self, number: i16) -> Written {
        self.serialize_i64(number.into())
    }

    fn serialize_i32(self, number: i32) -> Written {
        self.serialize_i64(number.into())
    }

    fn serialize_i64(self, number: i64) -> Written {
        self.0.push_str(&number.to_string());
        Ok(())
    }

    fn serialize_u8(self, number: u8) -> Written {
        self.serialize_u64(number.into())
    }

    fn serialize_u16(self, number: u16) -> Written {
        self.serialize_u64(number.into())
    }

    fn serialize_u32(self, number: u32) -> Written {
        self.serialize_u64(number.into())
    }

    fn serialize_u64(self, number: u64) -> Written {
        self.0.push_str(&number.to_string());
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Written {
        write_json_string(text, self.0);
        Ok(())
    }

    fn serialize_none(self) -> Written {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        self.0.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Written {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Elements<'a>, fmt::Error> {
        Ok(Elements::within('[', ']', self.0))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Elements<'a>, fmt::Error> {
        Ok(Elements::within('{', '}', self.0))
    }

    fn serialize_f32(self, _: f32) -> Written {
        Err(fmt::Error)
    }

    fn serialize_f64(self, number: f64) -> Written {
        if !number.is_finite() {
            return self.serialize_unit();
        }
        // The host formats floats, so that the wasm does not contain the standard library's formatting.
        let digits = js_sys::Number::from(number).to_string_with_radix(10).map_err(|_| fmt::Error)?;
        self.0.push_str(&String::from(digits));
        Ok(())
    }

    fn serialize_char(self, _: char) -> Written {
        Err(fmt::Error)
    }

    fn serialize_bytes(self, _: &[u8]) -> Written {
        Err(fmt::Error)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Written {
        Err(fmt::Error)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, fmt::Error> {
        Err(fmt::Error)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, fmt::Error> {
        Err(fmt::Error)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, fmt::Error> {
        Err(fmt::Error)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, fmt::Error> {
        Err(fmt::Error)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, fmt::Error> {
        Err(fmt::Error)
    }
}

/// The items of a list or the members of a struct.
struct Elements<'a> {
    text: &'a mut String,
    is_first: bool,
    end: char,
}

impl<'a> Elements<'a> {
    fn within(start: char, end: char, text: &'a mut String) -> Elements<'a> {
        text.push(start);
        Elements { text, is_first: true, end }
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.text.push(',');
        }
    }

    fn close(self) -> Written {
        self.text.push(self.end);
        Ok(())
    }
}

impl ser::SerializeSeq for Elements<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.separate();
        value.serialize(JsonWriter(self.text))
    }

    fn end(self) -> Written {
        self.close()
    }
}

impl ser::SerializeStruct for Elements<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.separate();
        write_json_string(name, self.text);
        self.text.push(':');
        value.serialize(JsonWriter(self.text))
    }

    fn end(self) -> Written {
        self.close()
    }
}
