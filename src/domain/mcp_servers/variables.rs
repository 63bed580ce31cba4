//! The variables of the agent's environment that a value names.

/// A variable that has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the variable {0} is not set")]
pub struct MissingVariable(pub String);

/// Whether this can be the name of a variable.
pub(super) fn is_variable(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A part of a value.
enum Part<'a> {
    Text(&'a str),
    Variable(&'a str),
}

/// The parts of a value: `$NAME` and `${NAME}` are variables, `$$` is a dollar sign, and so is one before anything else.
fn parts(mut text: &str) -> Vec<Part<'_>> {
    let mut all = Vec::new();
    while let Some((before, rest)) = text.split_once('$') {
        all.push(Part::Text(before));
        let braced =
            rest.strip_prefix('{').and_then(|r| r.split_once('}')).filter(|(name, _)| is_variable(name));
        if let Some((name, rest)) = braced {
            all.push(Part::Variable(name));
            text = rest;
            continue;
        }
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if is_variable(name) {
            all.push(Part::Variable(name));
            text = after;
        } else {
            all.push(Part::Text("$"));
            text = rest.strip_prefix('$').unwrap_or(rest);
        }
    }
    all.push(Part::Text(text));
    all
}

/// The variables that a value names.
pub fn variables_in(text: &str) -> Vec<String> {
    let names = parts(text).into_iter();
    names.filter_map(|p| if let Part::Variable(name) = p { Some(name.to_owned()) } else { None }).collect()
}

/// A value with another text for each variable.
pub(super) fn fill<E>(text: &str, value: impl Fn(&str) -> Result<String, E>) -> Result<String, E> {
    let one = |part| match part {
        Part::Text(text) => Ok(text.to_owned()),
        Part::Variable(name) => value(name),
    };
    parts(text).into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_and_filled_in() {
        assert_eq!(variables_in("Bearer $A-${B_2} $$C $5 ${no name} $"), ["A", "B_2"]);
        let value = |name: &str| {
            if name == "A" { Ok("1".to_owned()) } else { Err(MissingVariable(name.to_owned())) }
        };
        assert_eq!(fill("x$A/${A} $$A $5 $", value).unwrap(), "x1/1 $A $5 $");
        assert_eq!(fill("$A $NONE", value), Err(MissingVariable("NONE".into())));
    }
}
