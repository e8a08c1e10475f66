import ImagePresentingGTK
import XCTest

@testable import PhotoFeedDesktop

final class InscriptionTests: DesktopTestCase {
    func testTheSizeDoesNotDependOnTheText() throws {
        try onScreen {
            let inscription = GtkWidgetRef.inscription(characters: 10, alignment: 0.5)
            inscription.inscribedText = "short"
            let size = naturalSize(of: inscription)
            inscription.inscribedText = String(repeating: "a long text, and\n", count: 20)
            XCTAssertEqual(naturalSize(of: inscription), size)
            XCTAssertGreaterThan(size[0], 0)
        }
    }

    func testTheTextCanBeSet() throws {
        try onScreen {
            let inscription = GtkWidgetRef.inscription(characters: 10, alignment: 0)
            XCTAssertEqual(inscription.inscribedText, "")
            inscription.inscribedText = "Grüße"
            XCTAssertEqual(inscription.inscribedText, "Grüße")
        }
    }
}

/// Returns the natural width and height, in points.
@MainActor private func naturalSize(of widget: GtkWidgetRef) -> [Int32] {
    var size = GtkRequisition()
    unsafe gtk_widget_get_preferred_size(widget.pointer, nil, &size)
    return [size.width, size.height]
}
