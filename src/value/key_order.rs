//! The order in which a sorted map or set keeps its keys.

use std::cmp::Ordering;
use std::rc::Rc;

use super::Value;
use crate::work;

/// Compares two keys; `None` when they have no order.
pub(crate) type CompareKeys = fn(&Value, &Value) -> Option<Ordering>;

/// An order of keys. It holds in the program that made it: for later programs the collection is a plain one, as it is
/// after it was saved and read again.
#[derive(Debug)]
pub(crate) struct KeyOrder {
    by: By,
    program: u32,
}

#[derive(Debug)]
enum By {
    Comparison { compare: CompareKeys, descending: bool },
    Function(Value),
}

impl KeyOrder {
    /// The order of a comparison, or its reverse.
    pub fn comparing(compare: CompareKeys, descending: bool) -> Rc<KeyOrder> {
        KeyOrder::new(By::Comparison { compare, descending })
    }

    /// The order of a function of a program. Its owner puts keys in order before it makes a collection of them.
    pub fn calling(function: Value) -> Rc<KeyOrder> {
        KeyOrder::new(By::Function(function))
    }

    fn new(by: By) -> Rc<KeyOrder> {
        Rc::new(KeyOrder { by, program: work::program() })
    }

    /// Returns whether the program that made the order is running.
    pub(super) fn holds(&self) -> bool {
        self.program == work::program()
    }

    /// Returns the function that a program has to call to compare two keys.
    pub fn function(&self) -> Option<&Value> {
        match &self.by {
            By::Function(function) => Some(function),
            By::Comparison { .. } => None,
        }
    }

    /// Compares two keys. Keys without an order make the program fail.
    pub fn compare(&self, left: &Value, right: &Value) -> Ordering {
        match self.by {
            By::Comparison { compare, descending } => match compare(left, right) {
                Some(order) if descending => order.reverse(),
                Some(order) => order,
                None => refused(),
            },
            By::Function(_) => refused(),
        }
    }

    /// Returns the position of the key of the same rank, or else the position where `key` belongs.
    pub(super) fn place(&self, keys: &[Value], key: &Value) -> Result<usize, usize> {
        if keys.is_empty() {
            self.compare(key, key);
        }
        keys.binary_search_by(|found| self.compare(found, key))
    }
}

#[cold]
fn refused() -> Ordering {
    work::refuse_order();
    Ordering::Equal
}
