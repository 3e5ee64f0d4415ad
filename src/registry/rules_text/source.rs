//! Reads the source of a text.

use super::{Block, Diagram, Rulebook, Section};

/// Parses the rules of the family `name`.
///
/// # Errors
///
/// The line that does not fit, and why.
pub(super) fn read(name: &'static str, text: &str) -> Result<Rulebook, String> {
    let mut lines = text.lines().peekable();
    let title = lines.next().and_then(|line| line.strip_prefix("# ")).ok_or("no title")?;
    let mut rulebook =
        Rulebook { name, title: title.to_owned(), summary: String::new(), sections: Vec::new() };
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            rulebook.sections.push(Section { title: title.to_owned(), blocks: Vec::new() });
        } else if let Some(head) = line.strip_prefix("```") {
            let content: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let caption = paragraph("", &mut lines);
            let diagram = Diagram::read(head, &content, caption)?;
            section(&mut rulebook, line)?.push(Block::Diagram(diagram));
        } else if let Some(item) = line.strip_prefix("* ") {
            let item = paragraph(item, &mut lines);
            let blocks = section(&mut rulebook, line)?;
            match blocks.last_mut() {
                Some(Block::List(items)) => items.push(item),
                _ => blocks.push(Block::List(vec![item])),
            }
        } else if !line.is_empty() {
            let text = paragraph(line, &mut lines);
            match rulebook.sections.last_mut() {
                Some(section) => section.blocks.push(Block::Paragraph(text)),
                None if rulebook.summary.is_empty() => rulebook.summary = text,
                None => return Err(format!("a second paragraph before the sections: {line}")),
            }
        }
    }
    Ok(rulebook)
}

fn section<'a>(rulebook: &'a mut Rulebook, line: &str) -> Result<&'a mut Vec<Block>, String> {
    let last = rulebook.sections.last_mut().map(|section| &mut section.blocks);
    last.ok_or_else(|| format!("before the first section: {line}"))
}

/// Joins the lines of a paragraph or an item that begins with `first`.
fn paragraph<'a>(
    first: &str,
    lines: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
) -> String {
    let mut text = first.to_owned();
    let goes_on = |line: &&str| {
        !line.is_empty() && !["* ", "#", "```"].iter().any(|mark| line.starts_with(mark))
    };
    while let Some(line) = lines.next_if(goes_on) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line.trim());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_told_apart_and_lines_joined() {
        let text = "# Game\n\nOne\ntwo.\n\n## Turn\n\nText\nmore.\n* a\n  b\n* c\n\n```position susan\nturns e5\n\n9 .\n```\nCaption\nhere.\n\nEnd.";
        let rulebook = read("game", text).unwrap();
        assert_eq!((rulebook.title.as_str(), rulebook.summary.as_str()), ("Game", "One two."));
        let [Section { title, blocks }] = &rulebook.sections[..] else { panic!() };
        assert_eq!(title, "Turn");
        let [
            Block::Paragraph(first),
            Block::List(items),
            Block::Diagram(diagram),
            Block::Paragraph(last),
        ] = &blocks[..]
        else {
            panic!("{blocks:?}")
        };
        assert_eq!((first.as_str(), last.as_str()), ("Text more.", "End."));
        assert_eq!(items, &["a b", "c"]);
        assert_eq!((diagram.game.as_str(), diagram.caption.as_str()), ("susan", "Caption here."));
        assert_eq!((&diagram.turns[..], diagram.board.as_str()), (&["e5".to_owned()][..], "9 ."));
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        for text in ["", "Game", "# A\nb\n\nc", "# A\n* b", "# A\n## B\n```text\n```"] {
            assert!(read("game", text).is_err(), "{text}");
        }
    }
}
