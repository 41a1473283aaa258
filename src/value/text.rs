//! Comparisons of texts, which first compare their addresses.

use std::cmp::Ordering;
use std::rc::Rc;

use super::Str;
use crate::work;

/// Returns the order of two texts.
pub(crate) fn order_texts(left: &Str, right: &Str) -> Ordering {
    if Rc::ptr_eq(left, right) {
        return Ordering::Equal;
    }
    work::read(left.len().min(right.len()));
    left.cmp(right)
}

/// Returns true for equal texts; compares addresses first.
#[inline(always)]
pub(crate) fn is_same_text(left: &Str, right: &Str) -> bool {
    Rc::ptr_eq(left, right)
        || (left.len() == right.len() && left.as_bytes().first() == right.as_bytes().first() && {
            work::read(left.len());
            **left == **right
        })
}
