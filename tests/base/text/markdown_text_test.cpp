#include "base/text/markdown_text.h"

#include <gtest/gtest.h>

namespace ablate::reports {
namespace {

TEST(MarkdownText, KeepsOurOwnDocuments) {
  for (const char* document :
       {"# A title\n\ntext with `code<int>`, ``a ` b<c>`` and [a link](docs/record.md#a:b)\n",
        "| a \\| b | `x < y` |\n| --- | ---: |\n",
        "<details><summary>All</summary>\n\n1 < 2 <= 3\n\n</details>\n", "```json\n{\"a\": \"<b>\"}\n```\n",
        "[a](https://example.org) [b](mailto:a@b.c)", ""})
    EXPECT_EQ(safe_markdown(document), document);
}

TEST(MarkdownText, HoldsNoHtml) {
  EXPECT_EQ(safe_markdown("a <img src=x onerror=alert(1)> b"), "a &lt;img src=x onerror=alert(1)> b");
  EXPECT_EQ(safe_markdown("</td><!-- <?php"), "&lt;/td>&lt;!-- &lt;?php");
  EXPECT_EQ(safe_markdown("<detailsx> <script>"), "&lt;detailsx> &lt;script>");
  EXPECT_EQ(safe_markdown("\\<img> \\\\<img>"), "\\<img> \\\\&lt;img>");
}

TEST(MarkdownText, LeavesNoHtmlInCodeThatIsNone) {
  EXPECT_EQ(safe_markdown("a ` <img>"), "a \\` &lt;img>");
  EXPECT_EQ(safe_markdown("a ` b\n<img> ` c"), "a \\` b\n&lt;img> \\` c");  // not from line to line
  EXPECT_EQ(safe_markdown("| ` | <img> ` |"), "| \\` | &lt;img> \\` |");    // nor from cell to cell
  EXPECT_EQ(safe_markdown("`` a ` <img>"), "\\`\\` a \\` &lt;img>");
  EXPECT_EQ(safe_markdown("\\` <b> `"), "\\` &lt;b> \\`");
}

TEST(MarkdownText, RunsNoLink) {
  EXPECT_EQ(safe_markdown("[x](javascript:alert(1))"), "[x\\](javascript:alert(1))");
  EXPECT_EQ(safe_markdown("[x]( JaVaScRiPt:a)"), "[x\\]( JaVaScRiPt:a)");
  EXPECT_EQ(safe_markdown("[x](data:text/html,a)"), "[x\\](data:text/html,a)");
  EXPECT_EQ(safe_markdown("[x](&#106;avascript:a)"), "[x\\](&#106;avascript:a)");
}

}  // namespace
}  // namespace ablate::reports
