//! Handles of results.

/// The handle by which a result is recalled: six digits in base 36 of the FNV-1a hash of its call's id. Seven digits
/// could be mistaken for a commit hash.
pub fn handle_of(id: &str) -> String {
    let mut hash = id.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let digits = (0..6).map(|_| {
        let digit = char::from_digit(hash % 36, 36).unwrap_or('0');
        hash /= 36;
        digit
    });
    digits.collect()
}
