//! Joins texts. One loop serves all kinds of lists: the standard library's `join` is compiled for each of them, and unrolled
//! for separators of several lengths.

/// The texts with a separator between them.
pub(crate) fn join(texts: impl IntoIterator<Item: AsRef<str>>, separator: &str) -> String {
    let mut out = None;
    texts.into_iter().for_each(|text| add(&mut out, separator, text.as_ref()));
    out.unwrap_or_default()
}

fn add(out: &mut Option<String>, separator: &str, text: &str) {
    match out {
        None => *out = Some(text.to_owned()),
        Some(out) => {
            out.push_str(separator);
            out.push_str(text);
        }
    }
}
