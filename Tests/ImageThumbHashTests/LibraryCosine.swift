import Foundation

func libraryCosine(_ angle: Double) -> Double { cos(angle) }
