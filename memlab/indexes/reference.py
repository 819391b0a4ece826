"""A fixed set of everyday questions on unlike subjects: what an unrelated question looks like.

Version 1. Never part of an exam; changing it changes every background similarity, so it is versioned
with the index.
"""

from __future__ import annotations

VERSION = 1

QUESTIONS: tuple[str, ...] = (
    "How long should I boil an egg?",
    "Which river runs through the old town?",
    "What did the dentist say about the lower tooth?",
    "When does the ferry to the island leave on Sundays?",
    "Who painted the ceiling of the chapel?",
    "How do I get wax out of a tablecloth?",
    "Where can we rent two kayaks for the weekend?",
    "Why do cats knead blankets?",
    "What is the capital of the northern province?",
    "How many players are on a volleyball team?",
    "Which bus goes to the botanical garden?",
    "What should be in a will?",
    "Who won the chess final last spring?",
    "How far is the moon from the earth?",
    "What is a good name for a sailing boat?",
    "Which vaccine do I need for the trip?",
    "How much flour goes into the pancake batter?",
    "When was the bridge over the gorge built?",
    "What time does the bakery on the corner open?",
    "Where did my grandmother grow up?",
    "How is cheese made from goat milk?",
    "Which team plays in the stadium near the harbour?",
    "What was the weather like at the wedding?",
    "Who wrote the song about the lighthouse?",
    "달걀은 몇 분 동안 삶아야 하나요?",
    "섬으로 가는 배는 일요일에 몇 시에 출발해?",
    "식탁보에 묻은 촛농은 어떻게 지우지?",
    "성당 천장 그림은 누가 그렸어요?",
    "배구 팀은 몇 명인가요?",
    "식물원에 가려면 어느 버스를 타야 해?",
    "지난봄 체스 결승에서 누가 이겼어?",
    "지구에서 달까지 거리는 얼마나 되나요?",
    "여행 전에 어떤 예방 주사를 맞아야 하지?",
    "팬케이크 반죽에 밀가루를 얼마나 넣어?",
    "모퉁이 빵집은 언제 문을 열어?",
    "할머니는 어디에서 자라셨어?",
    "염소 우유로 치즈를 어떻게 만들어요?",
    "결혼식 날 날씨는 어땠어?",
    "등대에 관한 노래는 누가 썼나요?",
    "고양이는 왜 담요를 꾹꾹 누르지?",
    "¿Cuánto tiempo hay que hervir un huevo?",
    "Wie viele Spieler hat eine Volleyballmannschaft?",
    "Quel bus va au jardin botanique ?",
    "月までの距離はどのくらいですか？",
    "去植物园要坐哪路公交车？",
    "Quando foi construída a ponte sobre o desfiladeiro?",
    "Во сколько открывается булочная на углу?",
    "متى تغادر العبارة إلى الجزيرة يوم الأحد؟",
)
