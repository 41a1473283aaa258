//! PTC-Lisp, the Clojure subset that models write: `source → Form`, and literal forms to values.

mod atom;
mod form;
mod literal;
mod reader;

pub use form::{Form, FormKind, Symbol};
pub use literal::read_value;
pub use reader::read;
