//! Random types, and values for them.

use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{Field, Type};
use crate::value::{Value, arbitrary};

fn simple() -> impl Strategy<Value = Type> {
    select(Type::SIMPLE.to_vec())
}

fn literals() -> impl Strategy<Value = Type> {
    let literal = prop_oneof![
        4 => "\\PC{0,4}|[a-z\"'\\\\\n|?]{0,4}".prop_map(Value::str),
        1 => any::<i64>().prop_map(Value::Int),
        1 => (-1e6..1e6_f64).prop_map(Value::Float),
        1 => any::<bool>().prop_map(Value::Bool),
    ];
    vec(literal, 1..4).prop_map(Type::OneOf)
}

/// A type that may be nil or not.
pub fn types() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![4 => simple(), 1 => literals()];
    let ty = leaf.prop_recursive(5, 24, 4, |inner| {
        let nullable = (inner, weighted(0.2)).prop_map(|(ty, may_be_nil)| ty.or_nil(may_be_nil));
        prop_oneof![nullable.clone().prop_map(|ty| Type::List(ty.into())), fields(nullable).prop_map(Type::Record),]
    });
    (ty, weighted(0.2)).prop_map(|(ty, may_be_nil)| ty.or_nil(may_be_nil))
}

pub fn fields(ty: impl Strategy<Value = Type>) -> impl Strategy<Value = Vec<Field>> {
    let field = ("[_\\p{L}][_\\p{L}0-9-]{0,6}", ty, any::<bool>());
    vec(field, 0..4).prop_map(|fields| {
        let mut unique: Vec<Field> = Vec::new();
        for (name, ty, optional) in fields {
            let ty = if optional { ty.unless_nil().clone() } else { ty };
            if unique.iter().all(|field| field.name != name) {
                unique.push(Field::new(name, ty, optional));
            }
        }
        unique
    })
}

/// A value that fits the type, or nearly does: written in another way, or wrong in places.
pub fn value_for(ty: &Type) -> BoxedStrategy<Value> {
    let text =
        prop_oneof![Just("x".to_owned()), "-?[0-9]{1,4}([.][0-9])?", Just("true".to_owned())].prop_map(Value::str);
    let keyword = select(vec!["a", "true", "first-name"]).prop_map(Value::keyword);
    let integer = (-3..1000_i64).prop_map(Value::Int);
    let float = select(vec![1.0, -2.5, f64::NAN, 1e30]).prop_map(Value::Float);
    let right = match ty {
        Type::String => prop_oneof![4 => text, 1 => keyword, 1 => integer, 1 => Just(Value::Date(0))].boxed(),
        Type::Int | Type::Float => prop_oneof![4 => integer, 2 => float, 1 => text].boxed(),
        Type::Bool => prop_oneof![4 => any::<bool>().prop_map(Value::Bool), 1 => text].boxed(),
        Type::Keyword => prop_oneof![4 => keyword, 1 => text].boxed(),
        Type::Any | Type::History => arbitrary::value().boxed(),
        Type::OneOf(options) => select(options.clone()).boxed(),
        Type::Map => vec((keyword, integer), 0..3).prop_map(Value::map).boxed(),
        Type::Optional(inner) => prop_oneof![1 => Just(Value::Nil), 3 => value_for(inner)].boxed(),
        Type::List(element) => {
            let items = vec(value_for(element), 0..4);
            (items, 0..5)
                .prop_map(|(items, kind)| if kind == 0 { Value::set(items) } else { Value::vector(items) })
                .boxed()
        }
        Type::Record(fields) => {
            let entries: Vec<_> = fields.iter().map(entry_for).collect();
            let extra = vec((keyword, integer), 0..2);
            (entries, extra).prop_map(|(entries, extra)| Value::map(entries.into_iter().flatten().chain(extra))).boxed()
        }
    };
    prop_oneof![19 => right, 1 => arbitrary::value()].boxed()
}

/// The entry of a field, with its name in one of several spellings; sometimes none.
fn entry_for(field: &Field) -> BoxedStrategy<Option<(Value, Value)>> {
    let name = field.name.clone();
    let key = (0..6).prop_map(move |way| match way {
        0 => Value::str(&name),
        1 => Value::keyword(name.replace('-', "_")),
        _ => Value::keyword(&name),
    });
    let value =
        if field.optional { prop_oneof![Just(Value::Nil), value_for(&field.ty)].boxed() } else { value_for(&field.ty) };
    prop_oneof![9 => (key, value).prop_map(Some), 1 => Just(None)].boxed()
}
