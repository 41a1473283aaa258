//! Java's `Math`: floats in, floats out, the same digits on every machine.

use super::arguments::{arg, take};
use super::numbers::whole;
use super::plain;
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Builtin, Context};
use crate::lisp::number::to_number;
use crate::value::Value;

// The standard library uses the functions of the platform, whose last digits differ between native code and
// browsers. Only `sqrt` and rounding are exact everywhere, so the others come from `libm`.

pub(super) const ROWS: &[Builtin] = &[
    plain("sqrt", "x", (1, 1), "The square root, as a float.", |context, args| one(context, args, f64::sqrt)),
    plain("pow", "x y", (2, 2), "x to the power of y, as a float.", |context, args| two(context, args, power)),
    plain("Math/floor", "x", (1, 1), "The whole float at or below x.", |context, args| one(context, args, f64::floor)),
    plain("Math/ceil", "x", (1, 1), "The whole float at or above x.", |context, args| one(context, args, f64::ceil)),
    plain("Math/rint", "x", (1, 1), "The nearest whole float; halves go to the even one.", |context, args| {
        one(context, args, f64::round_ties_even)
    }),
    plain("Math/round", "x", (1, 1), "The nearest integer; halves go up.", |context, args| {
        match to_number(context.name, arg(args, 0))?.to_float() {
            _ if !matches!(arg(args, 0), Value::Float(_)) => Ok(take(args, 0)),
            value if value - value.floor() >= 0.5 => whole(context.name, value.floor() + 1.0),
            value => whole(context.name, value.floor()),
        }
    }),
    plain("Math/signum", "x", (1, 1), "-1.0, 0.0 or 1.0, as the sign of x.", |context, args| {
        one(context, args, |value| if value == 0.0 || value.is_nan() { value } else { 1_f64.copysign(value) })
    }),
    plain("Math/cbrt", "x", (1, 1), "The cube root.", |context, args| one(context, args, cube_root)),
    plain("Math/hypot", "x y", (2, 2), "The square root of x² + y².", |context, args| {
        two(context, args, libm::hypot)
    }),
    plain("Math/exp", "x", (1, 1), "e to the power of x.", |context, args| one(context, args, libm::exp)),
    plain("Math/log", "x", (1, 1), "The natural logarithm.", |context, args| one(context, args, libm::log)),
    plain("Math/log10", "x", (1, 1), "The logarithm to base 10.", |context, args| one(context, args, libm::log10)),
    plain("Math/sin", "x", (1, 1), "The sine of an angle in radians.", |context, args| one(context, args, libm::sin)),
    plain("Math/cos", "x", (1, 1), "The cosine of an angle in radians.", |context, args| one(context, args, libm::cos)),
    plain("Math/tan", "x", (1, 1), "The tangent of an angle in radians.", |context, args| {
        one(context, args, libm::tan)
    }),
    plain("Math/asin", "x", (1, 1), "The angle with this sine.", |context, args| one(context, args, libm::asin)),
    plain("Math/acos", "x", (1, 1), "The angle with this cosine.", |context, args| one(context, args, libm::acos)),
    plain("Math/atan", "x", (1, 1), "The angle with this tangent.", |context, args| one(context, args, libm::atan)),
    plain("Math/atan2", "y x", (2, 2), "The angle of the point (x, y).", |context, args| {
        two(context, args, libm::atan2)
    }),
    plain("Math/toRadians", "x", (1, 1), "Degrees as radians.", |context, args| {
        one(context, args, |value| value * (std::f64::consts::PI / 180.0))
    }),
    plain("Math/toDegrees", "x", (1, 1), "Radians as degrees.", |context, args| {
        one(context, args, |value| value * (180.0 / std::f64::consts::PI))
    }),
];

/// Returns x to the power of y. As in Java, and not in C, a power of 1 or -1 whose exponent is not finite is not a
/// number.
fn power(x: f64, y: f64) -> f64 {
    if x.abs() == 1.0 && !y.is_finite() { f64::NAN } else { libm::pow(x, y) }
}

/// Returns the cube root; exact for cubes of integers, unlike `libm::pow`.
fn cube_root(value: f64) -> f64 {
    let size = value.abs();
    let root = libm::pow(size, 1.0 / 3.0);
    let whole = root.round();
    let root = if whole * whole * whole == size { whole } else { root };
    root.copysign(value)
}

fn one(context: &mut Context<'_>, args: &[Value], function: fn(f64) -> f64) -> EvalResult {
    Ok(Value::Float(function(to_number(context.name, arg(args, 0))?.to_float())))
}

fn two(context: &mut Context<'_>, args: &[Value], function: fn(f64, f64) -> f64) -> EvalResult {
    let (left, right) = (to_number(context.name, arg(args, 0))?, to_number(context.name, arg(args, 1))?);
    Ok(Value::Float(function(left.to_float(), right.to_float())))
}
